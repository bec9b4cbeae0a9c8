"""Names of a package that are imported when first used, so that importing it costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(
    package: str, homes: Mapping[str, str], *others: str
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return the public names, the ``__getattr__`` and the ``__dir__`` of a package.

    ``homes`` has the names by the module within ``evalplus_lite`` that defines them; the package
    itself defines the ``others``.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"evalplus_lite.{home[name]}"), name)

    names = [*sorted(home), *others]
    return names, get, lambda: names
