"""Programs to syntax trees: from any number of threads, and from any text."""

from __future__ import annotations

import ast
import hashlib
import os
import threading
import warnings
from collections import OrderedDict
from typing import Any

from evalplus_lite import helper
from evalplus_lite.helper import TooLarge

__all__ = ["TooLarge", "guard", "parse", "trust_this_process"]

_LOCK = threading.Lock()
os.register_at_fork(after_in_child=lambda: globals().update(_LOCK=threading.Lock()))
_KNOWN: OrderedDict[bytes, None] = OrderedDict()
MOST_KNOWN = 4096
"""Texts remembered as harmless: the same few are looked at again and again."""
_bounded_already = False


def parse(source: str, *, mode: str = "exec") -> Any:
    """Return what ``ast.parse`` does; TooLarge, a ValueError, for a text that costs too much.

    One at a time: CPython 3.11 counts the depth of all threads' trees in one place, and raises
    SystemError ("recursion depth mismatch") where two are built at once.
    """
    guard(source, mode=mode)
    with _LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a text's odd escapes and numbers are no news of ours
        return ast.parse(source, mode=mode)


def guard(source: str, *, mode: str = "exec") -> None:
    """Raise TooLarge unless compiling and parsing a text is cheap, as a helper process finds out.

    The parser may use any time and memory for some texts, or end the process.
    """
    if _bounded_already:
        return
    name = hashlib.blake2b(f"{mode}\0{source}".encode("utf-8", "surrogatepass")).digest()
    if name in _KNOWN:
        return
    helper.ask("fits", source=source, mode=mode)
    with _LOCK:
        _KNOWN[name] = None
        if len(_KNOWN) > MOST_KNOWN:
            _KNOWN.popitem(last=False)


def trust_this_process() -> None:
    """Parse without asking from now on: for a process that is bounded itself."""
    global _bounded_already
    _bounded_already = True
