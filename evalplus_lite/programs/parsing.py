"""Parsing of programs, safe for threads and for untrusted text."""

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
MOST_KNOWN = 4096  # texts remembered as harmless, since the same few are parsed repeatedly
_bounded_already = False


UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""The errors that ``parse`` raises for a text that is not Python or too expensive."""


def parse(source: str, *, mode: str = "exec") -> Any:
    """Parse as ``ast.parse`` does; raise TooLarge, a ValueError, for an expensive text."""
    with quiet(guard(source, mode=mode)):
        return ast.parse(source, mode=mode)


def tree_or_none(source: str, *, mode: str = "exec") -> Any:
    """Parse as ``parse`` does, or return None for a text that is not Python or too expensive."""
    with contextlib.suppress(*UNREADABLE):
        return parse(source, mode=mode)
    return None


@contextlib.contextmanager
def quiet(warns: bool) -> Iterator[None]:
    """Serialize building trees and code, and silence warnings if the text ``warns``.

    CPython 3.11 counts the depth of all threads' trees in one place, and raises SystemError
    ("recursion depth mismatch") if two are built at once. Silencing warnings affects all threads,
    so it is done only for the few texts that need it.
    """
    with _LOCK:
        if not warns:
            yield
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes and numbers are not our concern
            yield


def guard(source: str, *, mode: str = "exec") -> bool:
    """Raise TooLarge unless a helper process can compile and parse a text cheaply.

    Return whether Python warns about the text. For some texts the parser needs any amount of time
    and memory, or crashes the process.
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
    """Parse without a helper from now on, in a process whose own resources are limited."""
    global _bounded_already
    _bounded_already = True
