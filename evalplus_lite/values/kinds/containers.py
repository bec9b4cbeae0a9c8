"""range, and the containers in ``collections``, with Python's rules of equality."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass
from typing import Any

from evalplus_lite.types import Value
from evalplus_lite.values.kinds.kind import DICT, INTEGERS, LIST, NONE, TEXT, Kind, of_type, whole


def _pack_counter(value: Any) -> Any:
    return (dict(dict.items(value)),)


def _unpack_counter(parts: Any, find: Any) -> Any:
    from collections import Counter

    return Counter(parts[0])


COUNTER = Kind(
    name="counter",
    type=Counter,
    inside=("collections.Counter",),
    pack=_pack_counter,
    unpack=_unpack_counter,
    make=lambda counts: Counter(of_type(counts, dict)),
    forms=(DICT,),
    base="dict",
    drops_zeros=True,
    is_hashable=False,
    constructors={"Counter": Counter},
    annotations=("Counter",),
    call="collections.Counter",
    view=dict,
    viewed=lambda view, like: Counter(view),
    examples=(Counter("abca"), Counter(), Counter({"x": 0, "y": -1}), Counter([1, 1, 2])),
)


FACTORIES = ("bool", "dict", "float", "int", "list", "set", "str", "tuple")


@dataclass(frozen=True, slots=True)
class DefaultDict:
    """A defaultdict: its items, and the name of the builtin type for missing values."""

    items: dict[Value, Value]
    factory: str | None = None

    def __repr__(self) -> str:
        return f"defaultdict({self.factory}, {self.items!r})"


def _pack_defaultdict(value: Any) -> Any:
    import builtins

    name = getattr(value.default_factory, "__name__", "")
    known = ("bool", "dict", "float", "int", "list", "set", "str", "tuple")
    is_known = name in known and getattr(builtins, name) is value.default_factory
    return dict(dict.items(value)), name if is_known else None


def _unpack_defaultdict(parts: Any, find: Any) -> Any:
    import builtins
    from collections import defaultdict

    return defaultdict(parts[1] and getattr(builtins, parts[1]), parts[0])


def make_defaultdict(items: Any, factory: Any) -> DefaultDict:
    """Return a defaultdict from a dict and the name of a builtin type, or None."""
    if factory is not None and factory not in FACTORIES:
        raise ValueError(f"a factory is one of {', '.join(FACTORIES)}")
    return DefaultDict(of_type(items, dict), factory)


DEFAULTDICT = Kind(
    name="defaultdict",
    type=DefaultDict,
    inside=("collections.defaultdict",),
    pack=_pack_defaultdict,
    unpack=_unpack_defaultdict,
    parts=lambda value: (value.items, value.factory),
    arguments=lambda value, write: f"{value.factory}, {write(value.items)}",
    make=make_defaultdict,
    forms=(DICT, TEXT + NONE),
    base="dict",
    is_hashable=False,
    annotations=("defaultdict", "DefaultDict"),
    call="collections.defaultdict",
    view=lambda value: value.items,
    viewed=lambda view, like: DefaultDict(view, like.factory),
    examples=(DefaultDict({"a": [1]}, "list"), DefaultDict({}, "int"), DefaultDict({1: 2})),
)


def _pack_deque(value: Any) -> Any:
    from collections import deque

    return list(deque.copy(value)), value.maxlen


def _unpack_deque(parts: Any, find: Any) -> Any:
    from collections import deque

    return deque(*parts)


def make_deque(items: Any, most: object) -> deque[Any]:
    """Return a deque from a list and its maximum length, or None."""
    if most is not None and not len(of_type(items, list)) <= whole(most) < 1 << 31:
        raise ValueError("more elements than the deque takes")
    return deque(of_type(items, list), most if type(most) is int else None)


DEQUE = Kind(
    name="deque",
    type=deque,
    inside=("collections.deque",),
    pack=_pack_deque,
    unpack=_unpack_deque,
    make=make_deque,
    forms=(LIST, INTEGERS + NONE),
    is_hashable=False,
    constructors={"deque": deque},
    annotations=("deque", "Deque"),
    call="collections.deque",
    view=list,
    viewed=lambda view, like: deque(view, like.maxlen),
    examples=(deque([1, 2, 3]), deque(), deque([5, 5], 4), deque(range(6))),
)


def _pack_ordereddict(value: Any) -> Any:
    from collections import OrderedDict

    return (dict(OrderedDict.items(value)),)


def _unpack_ordereddict(parts: Any, find: Any) -> Any:
    from collections import OrderedDict

    return OrderedDict(parts[0])


ORDEREDDICT = Kind(
    name="ordereddict",
    type=OrderedDict,
    inside=("collections.OrderedDict",),
    pack=_pack_ordereddict,
    unpack=_unpack_ordereddict,
    make=lambda items: OrderedDict(of_type(items, dict)),
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


_LONGEST = 10_000
"""Maximum length of a generated range."""


def _pack_range(value: Any) -> Any:
    return value.start, value.stop, value.step


def _unpack_range(parts: Any, find: Any) -> Any:
    return range(*parts)


def _key_range(value: range) -> tuple[int, ...]:
    reach = value.stop - value.start if value.step > 0 else value.start - value.stop
    size = max(0, -(-reach // abs(value.step)))  # len() fails for larger sizes than the machine's
    if size == 0:
        return ()
    return (size, value.start) if size == 1 else (size, value.start, value.step)


def _viewed_range(view: Any, like: range) -> range:
    start, stop, step = map(int, view)
    step = step or 1
    furthest = _LONGEST * abs(step)
    return range(start, max(start - furthest, min(stop, start + furthest)), step)


RANGE = Kind(
    name="range",
    type=range,
    inside=("builtins.range",),
    pack=_pack_range,
    unpack=_unpack_range,
    make=lambda *bounds: range(*map(whole, bounds)),
    forms=(INTEGERS, INTEGERS, INTEGERS),
    is_atom=True,
    key=_key_range,
    constructors={"range": range},
    annotations=("range",),
    call="builtins.range",
    view=_pack_range,
    viewed=_viewed_range,
    examples=(range(5), range(0), range(2, 11, 3), range(10, 0, -1), range(-3, 4), range(7, 8)),
)
