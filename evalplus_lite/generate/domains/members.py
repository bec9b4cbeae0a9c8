"""Members of enumerations that a program declares: what stands where one of them was seen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from evalplus_lite.generate.domains.domain import Domain
from evalplus_lite.programs import parsing
from evalplus_lite.values.kinds.enum import EnumMember

_VALUED = {"IntEnum", "StrEnum", "IntFlag", "int", "str", "float"}
"""Bases by which a member is its value."""


def members_of(source: str) -> tuple[EnumMember, ...]:
    """Return the members of the enumerations at a program's top level, as far as it writes them.

    A member that is a number or a string is left out if that is not written as such.
    """
    try:
        body = parsing.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(
        member for node in body if isinstance(node, ast.ClassDef) for member in _members(node)
    )


def _members(node: ast.ClassDef) -> Iterator[EnumMember]:
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
    if not any(base.endswith(("Enum", "Flag")) for base in bases):
        return
    is_valued = bool(bases & _VALUED)
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=given) if name[:1] != "_":
                if not is_valued:
                    yield EnumMember(node.name, name)
                elif isinstance(given, ast.Constant) and isinstance(given.value, int | float | str):
                    yield EnumMember(node.name, name, given.value)


def with_members(domain: Domain, members: tuple[EnumMember, ...]) -> Domain:
    """Return the domain with all members of those enumerations of which it allows one."""

    def part(inner: Domain | None) -> Domain | None:
        return None if inner is None else with_members(inner, members)

    seen = {(each.owner, each.name) for each in domain.choices if type(each) is EnumMember}
    owners = {owner for owner, _ in seen}
    more = [
        each for each in members if each.owner in owners and (each.owner, each.name) not in seen
    ]
    return replace(
        domain,
        choices=(*domain.choices, *more),
        items=part(domain.items),
        keys=part(domain.keys),
        values=part(domain.values),
        positions=domain.positions and tuple(with_members(p, members) for p in domain.positions),
        views=tuple(
            replace(view, about=with_members(view.about, members)) for view in domain.views
        ),
    )
