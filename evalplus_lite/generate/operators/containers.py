"""Operators for list, tuple, set, frozenset and dict.

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
    # In a record, the value of one field is of the wrong type for another.
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
    # Elements of several types have no order of their own; ``order`` is the same in each run.
    try:
        return sorted(value, reverse=way == 1)
    except TypeError:
        return sorted(value, key=order, reverse=way == 1)


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
    # Rows and columns are lists of indices, so one change serves both, and all rows stay of one
    # length.
    for indices, is_touched in ((rows, way != 0), (columns, way != 1)):
        if is_touched and indices:
            at = below(context, len(indices))
            indices[at : at + 1] = [indices[at]] * 2 if is_longer else []
    return [[value[row][column] for column in columns] for row in rows]


def _as_list(value: Collection[Value], context: MutationContext) -> list[Value]:
    """Return a sequence or set changed by one of the list operators that suit the slot."""
    # The slot chooses, so that its fixed size and its family hold for the list operator, too.
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
    # A key that exists would replace another pair, and the dict would shrink.
    if new in value:
        return value
    return {(new if name is old else name): item for name, item in value.items()}
