"""collections.OrderedDict: equal to dicts; two are only in the same order."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from evalplus_lite.values.kinds.kind import DICT, Kind, of_type


def _pack(value: Any) -> Any:
    from collections import OrderedDict

    return (dict(OrderedDict.items(value)),)


def _unpack(parts: Any, find: Any) -> Any:
    from collections import OrderedDict

    return OrderedDict(parts[0])


def make(items: Any) -> OrderedDict[Any, Any]:
    """Return the ordered dict of a dict."""
    return OrderedDict(of_type(items, dict))


KIND = Kind(
    name="ordereddict",
    type=OrderedDict,
    inside=("collections.OrderedDict",),
    pack=_pack,
    unpack=_unpack,
    make=make,
    forms=(DICT,),
    base="dict",
    is_ordered=True,
    is_hashable=False,
    constructors={"OrderedDict": OrderedDict},
    annotations=("OrderedDict",),
    call="collections.OrderedDict",
    view=dict,
    viewed=lambda view, like: OrderedDict(view),
    examples=(OrderedDict(b=1, a=2), OrderedDict(), OrderedDict([(2, "x"), (1, "y")])),
)
