"""Where what only costs time is kept."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return where results that only cost time are kept: ``EVALPLUS_LITE_CACHE``, or the user's."""
    root = os.environ.get("EVALPLUS_LITE_CACHE")
    if root:
        return Path(root)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "evalplus_lite")
