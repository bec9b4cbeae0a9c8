"""Names of a package that are imported when first used, so that importing it costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazily(
    package: str, *others: str
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return the public names, the ``__getattr__`` and the ``__dir__`` of a package.

    The names are those that its text imports for type checkers, which never runs, each in a line
    such as ``    from evalplus_lite.types import Case as Case``, and the ``others``, which the
    package itself defines.
    """
    module = sys.modules[package]
    loader: Any = module.__loader__
    lines = loader.get_data(module.__file__).decode().splitlines()
    imports = [line.split() for line in lines if line.startswith("    from evalplus_lite.")]
    home = {words[-1]: words[1] for words in imports}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home[name]), name)

    names = [*sorted(home), *others]
    return names, get, lambda: names
