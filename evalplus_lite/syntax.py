"""Programs to syntax trees, from any number of threads."""

from __future__ import annotations

import ast
import threading
from typing import Any

_LOCK = threading.Lock()


def parse(source: str, **options: Any) -> Any:
    """Return what ``ast.parse`` does.

    One at a time: CPython 3.11 counts the depth of all threads' trees in one place, and raises
    SystemError ("recursion depth mismatch") where two are built at once.
    """
    with _LOCK:
        return ast.parse(source, **options)
