"""The tables of mining: TOML files in ``data``."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Any


@functools.cache
def tables(name: str) -> dict[str, Any]:
    """Return the tables of ``data/NAME.toml``."""
    data = resources.files("evalplus_lite.exe").joinpath(f"data/{name}.toml")
    return tomllib.loads(data.read_text(encoding="utf-8"))
