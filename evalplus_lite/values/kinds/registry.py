"""The types there are: every module here that has a ``KIND``, and what each is known by."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import textwrap
from functools import cache

from evalplus_lite.values import encoding, kinds
from evalplus_lite.values.kinds.kind import Kind


def _found() -> tuple[Kind, ...]:
    names = sorted(module.name for module in pkgutil.iter_modules(kinds.__path__))
    modules = (importlib.import_module(f"{kinds.__name__}.{name}") for name in names
               if name not in ("kind", "registry"))  # fmt: skip
    return tuple(module.KIND for module in modules)


KINDS = _found()
BY_NAME = {kind.name: kind for kind in KINDS}
BY_TYPE = {kind.type: kind for kind in KINDS}

for _kind in KINDS:
    encoding.register(_kind.name, _kind.inside, _kind.pack, _kind.unpack)
    if _kind.type.__module__.startswith(kinds.__name__):  # a class of ours stands for it here
        own = f"{_kind.type.__module__}.{_kind.type.__qualname__}"
        encoding.register(_kind.name, (own,), _kind.split, _kind.unpack)


@cache
def guest_text() -> str:
    """Return the text that makes the types known inside the sandbox: run after ``encoding``'s."""
    found = []
    for kind in KINDS:
        for function in (kind.pack, kind.unpack):
            found.append(textwrap.dedent(inspect.getsource(function)))
        found.append(f"register({kind.name!r}, {kind.inside!r}, _pack, _unpack)\n")
    return "\n".join(found)
