"""Operators for tuple, set, frozenset and dict.

Tuples and sets are changed as lists (Table 1): a set as the list of its elements in a fixed order.
"""

from __future__ import annotations

from collections.abc import Collection

from evalplus_lite.generate.domains.profile import elements_of, hashable, order
from evalplus_lite.generate.operators.registry import (
    Family,
    MutationContext,
    Trait,
    below,
    operator,
    pick,
)
from evalplus_lite.types import Value

# Operators for list.

_MAX_MAGNITUDE = 10**9
_LONG = 64
"""Lists are not doubled beyond this length."""


def _element_context(context: MutationContext, at: int) -> MutationContext | None:
    """Return the slot of the element at an index, or None if no element was ever seen."""
    positions = context.positions
    if positions is not None and at < len(positions):
        return positions[at]
    return context.items


@operator("list.replace", list, ([1, 2], [1, 3]), ([1, 2], [0, 2]), weight=8, family=Family.EITHER)
def list_replace(value: list[Value], context: MutationContext) -> list[Value]:
    """With one element changed (Table 1)."""
    if not value:
        return value
    at = below(context, len(value))
    slot = _element_context(context, at)
    if slot is None:
        return value
    return [*value[:at], slot.mutate(value[at]), *value[at + 1 :]]


@operator(
    "list.insert",
    list,
    ([1, 2], [1, 3, 2]),
    ([], [7]),
    weight=3,
    family=Family.EITHER,
    traits=(Trait.RESIZES,),
)
def list_insert(value: list[Value], context: MutationContext) -> list[Value]:
    """With the mutant of an element put in (Table 1); a fresh one where there is none yet."""
    if context.items is None:
        return value
    at = below(context, len(value) + 1)
    new = context.items.mutate(pick(context, value)) if value else context.items.sample()
    return [*value[:at], new, *value[at:]]


@operator("list.remove", list, ([1, 2, 3], [1, 3]), ([1], []), weight=4, traits=(Trait.RESIZES,))
def list_remove(value: list[Value], context: MutationContext) -> list[Value]:
    """Without one element (Table 1)."""
    if not value:
        return value
    at = below(context, len(value))
    return value[:at] + value[at + 1 :]


@operator(
    "list.repeat", list, ([1, 2], [1, 1, 2]), ([1, 2], [1, 2, 1]), weight=4, traits=(Trait.RESIZES,)
)
def list_repeat(value: list[Value], context: MutationContext) -> list[Value]:
    """With one element twice (Table 1), side by side or apart."""
    if not value:
        return value
    at = below(context, len(value))
    to = at if context.random() < 0.5 else below(context, len(value) + 1)
    return [*value[:to], value[at], *value[to:]]


@operator("list.overwrite", list, ([1, 2, 3], [1, 1, 3]), weight=3)
def list_overwrite(value: list[Value], context: MutationContext) -> list[Value]:
    """With one element in the place of another: a duplicate, at the same length."""
    if len(value) < 2 or context.positions is not None:
        return value
    to, at = below(context, len(value)), below(context, len(value))
    return [*value[:to], value[at], *value[to + 1 :]]


@operator("list.swap", list, ([1, 2, 3], [3, 2, 1]), ([1, 2], [2, 1]), weight=3)
def list_swap(value: list[Value], context: MutationContext) -> list[Value]:
    """With two elements exchanged."""
    if len(value) < 2 or context.positions is not None:
        return value
    first, second = below(context, len(value)), below(context, len(value))
    changed = list(value)
    changed[first], changed[second] = changed[second], changed[first]
    return changed


@operator(
    "list.order", list, ([2, 3, 1], [1, 2, 3]), ([2, 3, 1], [3, 2, 1]), ([2, 3, 1], [1, 3, 2])
)
def list_order(value: list[Value], context: MutationContext) -> list[Value]:
    """Sorted either way, or backwards."""
    if context.positions is not None:
        return value
    way = below(context, 3)
    if way == 2:
        return value[::-1]
    try:
        return sorted(value, reverse=way == 1)
    except TypeError:
        return sorted(value, key=order, reverse=way == 1)


@operator("list.rotate", list, ([1, 2, 3], [2, 3, 1]), ([1, 2, 3], [3, 1, 2]), weight=1)
def list_rotate(value: list[Value], context: MutationContext) -> list[Value]:
    """Rotated by some positions."""
    if len(value) < 2 or context.positions is not None:
        return value
    at = 1 + below(context, len(value) - 1)
    return value[at:] + value[:at]


@operator("list.cut", list, ([1, 2, 3, 4], [1, 2]), ([1, 2, 3, 4], [3, 4]), traits=(Trait.RESIZES,))
def list_cut(value: list[Value], context: MutationContext) -> list[Value]:
    """Only a beginning, or only an end, of it."""
    at = below(context, len(value) + 1)
    return value[:at] if context.random() < 0.5 else value[at:]


@operator(
    "list.double", list, ([1, 2], [1, 2, 1, 2]), ([1, 2], [1, 2, 2, 1]), traits=(Trait.RESIZES,)
)
def list_double(value: list[Value], context: MutationContext) -> list[Value]:
    """Twice over, or followed by itself backwards: the same from both ends."""
    if len(value) > _LONG:
        return value
    return value + value if context.random() < 0.4 else value + value[::-1]


@operator(
    "list.relate", list, ([5, 9], [5, 6]), ([5, 9], [5, -5]), (["ab", "x"], ["ab", "ba"]), weight=3
)
def list_relate(value: list[Value], context: MutationContext) -> list[Value]:
    """With one element made from another: beside it, its negative, a sum, a rearrangement."""
    if len(value) < 2 or context.positions is not None:
        return value
    to, at = below(context, len(value)), below(context, len(value))
    other = _related(value[at], pick(context, value), context)
    return [*value[:to], other, *value[to + 1 :]]


def _related(value: Value, other: Value, context: MutationContext) -> Value:
    kind = type(value)
    if kind is int or kind is float:
        way = below(context, 5)
        if way < 3 or type(other) is not kind:
            return (value + 1, value - 1, -value)[way % 3]
        return value + other if way == 3 else value - other
    if kind is str or kind is list or kind is tuple:
        way = below(context, 4)
        if way == 0:
            return value[::-1]
        if way == 1:
            return value[:-1]
        if way == 2 and kind is not tuple:
            rearranged = sorted(value) if kind is str else sorted(value, key=order)
            return "".join(rearranged) if kind is str else rearranged
        return value.swapcase() if kind is str else value
    return value


@operator(
    "list.alike", list, ([1, 2], [-1, -2]), ([1, 2], [2, 3]), ([1.5], [3.0]), (["aB"], ["Ba"])
)
def list_alike(value: list[Value], context: MutationContext) -> list[Value]:
    """With all elements changed in the same way: numbers multiplied or moved, strings turned."""
    if not value or context.positions is not None:
        return value
    way = below(context, 6)
    step = pick(context, (1, -1, 10))
    return [_turned(element, way, step) for element in value]


def _turned(value: Value, way: int, step: int) -> Value:
    kind = type(value)
    if kind is int or kind is float:
        number = (-value, value * 2, value + step, value * step, abs(value), -abs(value))[way]
        return number if abs(number) <= max(_MAX_MAGNITUDE, abs(value)) else value
    if kind is str or kind is list or kind is tuple:
        return value[::-1] if way < 3 or kind is not str else value.swapcase()
    return value


@operator(
    "list.salt", list, ([1, 2], [42, 42]), ([1, 2], [42, 2]), weight=4, family=Family.CONSTANT
)
def list_salt(value: list[Value], context: MutationContext) -> list[Value]:
    """With several elements changed at once."""
    if context.positions is not None or context.items is None:
        return value
    change, share = context.items.mutate, context.random()
    return [change(element) if context.random() < share else element for element in value]


@operator("list.fragment", list, ([1, 2], [7, 7, 7]), weight=1, traits=(Trait.RESIZES,))
def list_fragment(value: list[Value], context: MutationContext) -> list[Value]:
    """Another list seen among the inputs."""
    fragment: list[Value] | None = context.fragment(list)
    return value if fragment is None else fragment


@operator("list.splice", list, ([1, 2], [1, 7, 7]), weight=2, traits=(Trait.RESIZES,))
def list_splice(value: list[Value], context: MutationContext) -> list[Value]:
    """Its beginning, followed by the end of another list seen here."""
    other: list[Value] | None = context.fragment(list)
    if not other:
        return value
    return value[: below(context, len(value) + 1)] + other[below(context, len(other)) :]


@operator(
    "list.grid",
    list,
    ([[1, 2], [3, 4]], [[1], [3]]),
    ([[1, 2]], [[1, 1, 2], [1, 1, 2]]),
    traits=(Trait.FOR_GRIDS,),
)
def list_grid(value: list[Value], context: MutationContext) -> list[Value]:
    """A table of equal rows, with a column, a row or both dropped or repeated."""
    if not value or not all(type(row) is list for row in value) or len({*map(len, value)}) != 1:
        return value
    width = len(value[0])
    rows, columns = list(range(len(value))), list(range(width))
    way = below(context, 3)
    is_longer = context.random() < 0.5
    for indices, is_touched in ((rows, way != 0), (columns, way != 1)):
        if is_touched and indices:
            at = below(context, len(indices))
            indices[at : at + 1] = [indices[at]] * 2 if is_longer else []
    return [[value[row][column] for column in columns] for row in rows]


def _as_list(value: Collection[Value], context: MutationContext) -> list[Value]:
    """Return a sequence or set changed by one of the list operators that suit the slot."""
    chosen = context.choose(list)
    return list(chosen.apply(list(elements_of(value)), context)) if chosen else list(value)


@operator("tuple.items", tuple, ((1, 2), (1, 3)), ((1, 2), (2, 1)), family=Family.EITHER)
def tuple_items(value: tuple[Value, ...], context: MutationContext) -> tuple[Value, ...]:
    """Changed as a list (Table 1)."""
    return tuple(_as_list(value, context))


@operator("set.items", set, ({1, 2}, {1, 3}), ({1, 2}, {1}), family=Family.EITHER)
def set_items(value: set[Value], context: MutationContext) -> set[Value]:
    """Changed as a list (Table 1)."""
    return set(hashable(_as_list(value, context)))


@operator("frozenset.items", frozenset, (frozenset({1, 2}), frozenset({1})), family=Family.EITHER)
def frozenset_items(value: frozenset[Value], context: MutationContext) -> frozenset[Value]:
    """Changed as a list."""
    return frozenset(hashable(_as_list(value, context)))


@operator("dict.remove", dict, ({"a": 1, "b": 2}, {"b": 2}), traits=(Trait.RESIZES,))
def dict_remove(value: dict[Value, Value], context: MutationContext) -> dict[Value, Value]:
    """Without one pair (Table 1)."""
    if not value:
        return value
    out = pick(context, list(value))
    return {name: item for name, item in value.items() if name is not out}


@operator("dict.update", dict, ({"a": 1}, {"a": 2}), weight=4, family=Family.EITHER)
def dict_update(value: dict[Value, Value], context: MutationContext) -> dict[Value, Value]:
    """With one value changed (Table 1)."""
    if not value or context.values is None:
        return value
    name = pick(context, list(value))
    return {**value, name: context.values.mutate(value[name])}


@operator(
    "dict.insert",
    dict,
    ({"a": 1}, {"a": 1, "d": 2}),
    ({}, {"a": 7}),
    weight=3,
    family=Family.EITHER,
    traits=(Trait.RESIZES,),
)
def dict_insert(value: dict[Value, Value], context: MutationContext) -> dict[Value, Value]:
    """With a changed key for a changed value put in (Table 1); fresh ones where there is none."""
    if context.keys is None or context.values is None:
        return value
    if not value:
        return {context.keys.sample(): context.values.sample()}
    name = pick(context, list(value))
    return {**value, context.keys.mutate(name): context.values.mutate(value[name])}


@operator("dict.rename", dict, ({"a": 1}, {"d": 1}), weight=3, family=Family.EITHER)
def dict_rename(value: dict[Value, Value], context: MutationContext) -> dict[Value, Value]:
    """With one key changed."""
    if not value or context.keys is None:
        return value
    old = pick(context, list(value))
    new = context.keys.mutate(old)
    if new in value:
        return value
    return {(new if name is old else name): item for name, item in value.items()}


@operator(
    "dict.exchange",
    dict,
    ({"a": 1, "b": 2}, {"a": 2, "b": 1}),
    ({"a": 1, "b": 2}, {"a": 1, "b": 1}),
)
def dict_exchange(value: dict[Value, Value], context: MutationContext) -> dict[Value, Value]:
    """With two values exchanged, or one in both places."""
    if len(value) < 2:
        return value
    names = list(value)
    first, second = pick(context, names), pick(context, names)
    if context.random() < 0.5:
        return {**value, first: value[second]}
    return {**value, first: value[second], second: value[first]}
