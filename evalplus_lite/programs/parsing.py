"""Programs to syntax trees: from any number of threads, and from any text."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from evalplus_lite.programs import helper
from evalplus_lite.programs.helper import TooLarge as TooLarge
from evalplus_lite.store.locks import Lock

_LOCK = Lock()
_KNOWN: OrderedDict[bytes, bool] = OrderedDict()
MOST_KNOWN = 4096  # texts remembered as harmless: the same few are looked at again and again
_bounded_already = False


UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What ``parse`` raises for a text that is no Python, or costs too much."""


def parse(source: str, *, mode: str = "exec") -> Any:
    """Return what ``ast.parse`` does; TooLarge, a ValueError, for a text that costs too much."""
    with quiet(guard(source, mode=mode)):
        return ast.parse(source, mode=mode)


def tree_or_none(source: str, *, mode: str = "exec") -> Any:
    """Return what ``parse`` does, None for a text that is no Python, or costs too much."""
    with contextlib.suppress(*UNREADABLE):
        return parse(source, mode=mode)
    return None


@contextlib.contextmanager
def quiet(warns: bool) -> Iterator[None]:
    """Guard building a tree or code: one at a time, and silently if the text ``warns``.

    CPython 3.11 counts the depth of all threads' trees in one place, and raises SystemError
    ("recursion depth mismatch") if two are built at once. Silencing warnings affects all threads,
    so it is done only for the few texts that need it.
    """
    with _LOCK:
        if not warns:
            yield
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes and numbers are the text's, not ours
            yield


def guard(source: str, *, mode: str = "exec") -> bool:
    """Raise TooLarge unless compiling and parsing a text is cheap, as a helper process finds out.

    Return whether Python warns of the text. The parser may use any time and memory for some texts,
    or end the process.
    """
    if _bounded_already:
        return True
    name = hashlib.blake2b(f"{mode}\0{source}".encode("utf-8", "surrogatepass")).digest()
    known = _KNOWN.get(name)
    if known is not None:
        return known
    warns = bool(helper.ask("fits", source=source, mode=mode))
    with _LOCK:
        _KNOWN[name] = warns
        if len(_KNOWN) > MOST_KNOWN:
            _KNOWN.popitem(last=False)
    return warns


def trust_this_process() -> None:
    """Parse without a helper from now on: for a process whose own resources are bounded."""
    global _bounded_already
    _bounded_already = True
