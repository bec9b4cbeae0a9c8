"""Operators for list, tuple, set, frozenset and dict.

Tuples and sets are changed as lists (Table 1); a set's elements have a fixed order.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from evalplus_lite.generate.domains.profile import elements_of, hashable, order
from evalplus_lite.generate.operators.registry import below, operator, pick
from evalplus_lite.types import Value

if TYPE_CHECKING:
    from evalplus_lite.generate.engine.slots import Slot


@operator("list.replace", list, ([1, 2], [1, 3]), ([1, 2], [0, 2]), weight=8, family="either")
def list_replace(value: list[Value], slot: Slot) -> list[Value]:
    """Change one element (Table 1)."""
    if not value:
        return value
    at = below(slot, len(value))
    positions = slot.positions
    inner = positions[at] if positions and at < len(positions) else slot.items
    # None if no example has an element.
    if inner is None:
        return value
    return [*value[:at], inner.mutate(value[at]), *value[at + 1 :]]


@operator(
    "list.insert", list, ([1, 2], [1, 3, 2]), ([], [7]), weight=3, family="either", resizes=True
)
def list_insert(value: list[Value], slot: Slot) -> list[Value]:
    """Insert a mutant of an element (Table 1), or a new element into an empty list."""
    if slot.items is None:
        return value
    at = below(slot, len(value) + 1)
    new = slot.items.mutate(pick(slot, value)) if value else slot.items.sample()
    return [*value[:at], new, *value[at:]]


@operator("list.remove", list, ([1, 2, 3], [1, 3]), ([1], []), weight=4, resizes=True)
def list_remove(value: list[Value], slot: Slot) -> list[Value]:
    """Remove one element (Table 1)."""
    if not value:
        return value
    at = below(slot, len(value))
    return value[:at] + value[at + 1 :]


@operator("list.repeat", list, ([1, 2], [1, 1, 2]), ([1, 2], [1, 2, 1]), weight=4, resizes=True)
def list_repeat(value: list[Value], slot: Slot) -> list[Value]:
    """Repeat one element (Table 1), next to it or elsewhere."""
    if not value:
        return value
    at = below(slot, len(value))
    to = at if slot.random() < 0.5 else below(slot, len(value) + 1)
    return [*value[:to], value[at], *value[to:]]


@operator("list.overwrite", list, ([1, 2, 3], [1, 1, 3]), weight=3)
def list_overwrite(value: list[Value], slot: Slot) -> list[Value]:
    """Overwrite one element with another, for a duplicate at the same length."""
    # In a record, the value of one field has the wrong type for another.
    if len(value) < 2 or slot.positions is not None:
        return value
    to, at = below(slot, len(value)), below(slot, len(value))
    return [*value[:to], value[at], *value[to + 1 :]]


@operator("list.swap", list, ([1, 2, 3], [3, 2, 1]), ([1, 2], [2, 1]), weight=3)
def list_swap(value: list[Value], slot: Slot) -> list[Value]:
    """Swap two elements."""
    if len(value) < 2 or slot.positions is not None:
        return value
    first, second = below(slot, len(value)), below(slot, len(value))
    changed = list(value)
    changed[first], changed[second] = changed[second], changed[first]
    return changed


@operator(
    "list.order", list, ([2, 3, 1], [1, 2, 3]), ([2, 3, 1], [3, 2, 1]), ([2, 3, 1], [1, 3, 2])
)
def list_order(value: list[Value], slot: Slot) -> list[Value]:
    """Sort either way, or reverse."""
    if slot.positions is not None:
        return value
    way = below(slot, 3)
    if way == 2:
        return value[::-1]
    # Elements of mixed types have no natural order; ``order`` is the same in each run.
    try:
        return sorted(value, reverse=way == 1)
    except TypeError:
        return sorted(value, key=order, reverse=way == 1)


@operator(
    "list.grid",
    list,
    ([[1, 2], [3, 4]], [[1], [3]]),
    ([[1, 2]], [[1, 1, 2], [1, 1, 2]]),
    for_grids=True,
)
def list_grid(value: list[Value], slot: Slot) -> list[Value]:
    """Drop or repeat a row, a column or both of a table."""
    if not value or not all(type(row) is list for row in value) or len({*map(len, value)}) != 1:
        return value
    width = len(value[0])
    rows, columns = list(range(len(value))), list(range(width))
    way = below(slot, 3)
    is_longer = slot.random() < 0.5
    # Rows and columns are lists of indices, so one change handles both, and all rows keep the same
    # length.
    for indices, is_touched in ((rows, way != 0), (columns, way != 1)):
        if is_touched and indices:
            at = below(slot, len(indices))
            indices[at : at + 1] = [indices[at]] * 2 if is_longer else []
    return [[value[row][column] for column in columns] for row in rows]


def _as_list(value: Collection[Value], slot: Slot) -> list[Value]:
    """Change a sequence or set by one of the slot's list operators."""
    # The slot chooses, so that its fixed size and family apply to the list operator, too.
    chosen = slot.choose(list)
    return list(chosen.apply(list(elements_of(value)), slot)) if chosen else list(value)


@operator("tuple.items", tuple, ((1, 2), (1, 3)), ((1, 2), (2, 1)), family="either")
def tuple_items(value: tuple[Value, ...], slot: Slot) -> tuple[Value, ...]:
    """Change it as a list (Table 1)."""
    return tuple(_as_list(value, slot))


@operator("set.items", set, ({1, 2}, {1, 3}), ({1, 2}, {1}), family="either")
def set_items(value: set[Value], slot: Slot) -> set[Value]:
    """Change it as a list (Table 1)."""
    return set(hashable(_as_list(value, slot)))


@operator("frozenset.items", frozenset, (frozenset({1, 2}), frozenset({1})), family="either")
def frozenset_items(value: frozenset[Value], slot: Slot) -> frozenset[Value]:
    """Change it as a list."""
    return frozenset(hashable(_as_list(value, slot)))


@operator("dict.remove", dict, ({"a": 1, "b": 2}, {"b": 2}), resizes=True)
def dict_remove(value: dict[Value, Value], slot: Slot) -> dict[Value, Value]:
    """Remove one pair (Table 1)."""
    if not value:
        return value
    out = pick(slot, list(value))
    return {name: item for name, item in value.items() if name is not out}


@operator("dict.update", dict, ({"a": 1}, {"a": 2}), weight=4, family="either")
def dict_update(value: dict[Value, Value], slot: Slot) -> dict[Value, Value]:
    """Change one value (Table 1)."""
    if not value or slot.values is None:
        return value
    name = pick(slot, list(value))
    return {**value, name: slot.values.mutate(value[name])}


@operator(
    "dict.insert",
    dict,
    ({"a": 1}, {"a": 1, "d": 2}),
    ({}, {"a": 7}),
    weight=3,
    family="either",
    resizes=True,
)
def dict_insert(value: dict[Value, Value], slot: Slot) -> dict[Value, Value]:
    """Insert a mutated pair (Table 1), or a new one into an empty dict."""
    if slot.keys is None or slot.values is None:
        return value
    if not value:
        return {slot.keys.sample(): slot.values.sample()}
    name = pick(slot, list(value))
    return {**value, slot.keys.mutate(name): slot.values.mutate(value[name])}


@operator("dict.rename", dict, ({"a": 1}, {"d": 1}), weight=3, family="either")
def dict_rename(value: dict[Value, Value], slot: Slot) -> dict[Value, Value]:
    """Change one key."""
    if not value or slot.keys is None:
        return value
    old = pick(slot, list(value))
    new = slot.keys.mutate(old)
    # An existing key would replace another pair and shrink the dict.
    if new in value:
        return value
    return {(new if name is old else name): item for name, item in value.items()}
