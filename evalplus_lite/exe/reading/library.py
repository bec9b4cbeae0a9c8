"""What the standard library's modules hold."""

from __future__ import annotations

import importlib
import sys
import warnings

_MEMBERS: dict[str, frozenset[str]] = {}
_NEVER_IMPORTED = frozenset({"antigravity", "this", "idlelib", "turtle", "turtledemo", "test"})


def has_member(module: str, name: str) -> bool:
    """Return whether a module of the standard library has a member (or submodule)."""
    if name == "*":
        return True
    if module not in _MEMBERS:
        root = module.partition(".")[0]
        if root not in sys.stdlib_module_names or root in _NEVER_IMPORTED:
            return False
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = frozenset(dir(importlib.import_module(module)))
        except ImportError:
            found = frozenset()
        _MEMBERS[module] = found
    return name in _MEMBERS[module]
