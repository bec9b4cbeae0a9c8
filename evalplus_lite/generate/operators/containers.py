"""Operators for tuple, set, frozenset and dict.

Tuples and sets are changed as lists (Table 1): a set as the list of its elements in a fixed order.
"""

from __future__ import annotations

from collections.abc import Collection

from evalplus_lite.generate.domains.profile import elements_of, hashable
from evalplus_lite.generate.operators.registry import Family, MutationContext, Trait, operator, pick
from evalplus_lite.types import Value


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
