"""All extended types: each ``Kind`` in the modules here, by name, class and annotation."""

from __future__ import annotations

import inspect
import textwrap
from functools import cache
from operator import attrgetter

from evalplus_lite.values import encoding, kinds
from evalplus_lite.values.kinds import arrays, containers, declared, numbers, times
from evalplus_lite.values.kinds.kind import Kind

_MODULES = (arrays, containers, declared, numbers, times)
_ALL = (each for module in _MODULES for each in vars(module).values() if isinstance(each, Kind))
KINDS = tuple(sorted(_ALL, key=attrgetter("name")))
BY_NAME = {kind.name: kind for kind in KINDS}
BY_TYPE = {kind.type: kind for kind in KINDS}

for _kind in KINDS:
    encoding.register(_kind.name, _kind.inside, _kind.pack, _kind.unpack)
    if _kind.type.__module__.startswith(kinds.__name__):  # a stand-in class defined here
        own = f"{_kind.type.__module__}.{_kind.type.__qualname__}"
        encoding.register(_kind.name, (own,), _kind.split, _kind.unpack)


@cache
def guest_text() -> str:
    """Return the text that registers the types in the sandbox, to be run after ``encoding``'s."""
    texts = []
    for kind in KINDS:
        for function in (kind.pack, kind.unpack):
            texts.append(textwrap.dedent(inspect.getsource(function)))
        names = f"{kind.pack.__name__}, {kind.unpack.__name__}"
        texts.append(f"register({kind.name!r}, {kind.inside!r}, {names})\n")
    return "\n".join(texts)
