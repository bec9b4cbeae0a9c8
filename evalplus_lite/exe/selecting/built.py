"""Types whose values are made of plain ones: a member of its name, an object of its fields.

A call is given the plain value; the entry point, which is part of the program, makes the other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from evalplus_lite.exe.reading.resolve import (
    Definition,
    External,
    Resolver,
    Target,
    Unresolved,
    class_of,
)
from evalplus_lite.generate.domains.annotations import Type

MOST_MEMBERS = 50
"""Members of an enumeration that are drawn."""
ANY = Type("any")
Need: TypeAlias = Definition | External
"""Something that an entry point mentions: of the package, or of the standard library."""


@dataclass(frozen=True, slots=True)
class Built(Type):
    """A type of which the plain part is the type itself, and how its values are made of that.

    ``template``: an expression that makes it of ``{}``, one plain value. With ``fields`` the plain
    value is a tuple of one element each, and ``template`` what is called with them by name.
    """

    template: str = "{}"
    fields: tuple[str, ...] = ()
    needs: tuple[Need, ...] = ()
    answer: Type = ANY
    """What is answered where one is returned."""


_SECONDS = (
    0, 1, -1, 30, 59, 60, 61, 90, 3599, 3600, 3661, 7200, 43200, 86399, 86400, 90061, 172800,
    604800, 2678400, 31536000, -3600, -86400, 0.5, 1.25, -0.001,
)  # fmt: skip
_TIMES = (
    "00:00:00", "00:00:01", "00:30:00", "01:02:03", "05:59:59", "09:05:07", "11:59:59", "12:00:00",
    "12:30:00", "13:00:00", "18:45:30.250000", "23:59:59", "23:59:59.999999",
)  # fmt: skip
_DECIMALS = (
    "0", "1", "-1", "2", "10", "100", "0.1", "-0.5", "0.25", "3.14159", "99.99", "-12.345", "1.50",
    "1E+3", "1E-7", "123456.789", "0.005", "2.675", "1000000", "9999999999.99",
)  # fmt: skip
_DENOMINATORS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 25, 64, 97, 100, 360, 1000, 1_000_003)
LIBRARY = {
    "pathlib.Path": ("PurePosixPath({})", Type("str")),
    "pathlib.PurePath": ("PurePosixPath({})", Type("str")),
    "pathlib.PosixPath": ("PurePosixPath({})", Type("str")),
    "pathlib.PurePosixPath": ("PurePosixPath({})", Type("str")),
    "pathlib.PureWindowsPath": ("PureWindowsPath({})", Type("str")),
    "datetime.timedelta": ("timedelta(seconds={})", Type("literal", values=_SECONDS)),
    "datetime.time": ("time.fromisoformat({})", Type("literal", values=_TIMES)),
    "datetime.date": ("date.fromisoformat({})", Type("date")),
    "datetime.datetime": ("datetime.fromisoformat({})", Type("datetime")),
    "decimal.Decimal": ("Decimal({})", Type("literal", values=_DECIMALS)),
    "fractions.Fraction": (
        "Fraction(*{})",
        Type("tuple", (Type("int"), Type("literal", values=_DENOMINATORS))),
    ),
}
"""What values of the standard library's types are made of. Paths are pure: none is looked at."""
DATES = frozenset({"datetime.date", "datetime.datetime"})
"""Those among the paper's types."""


def of_library(dotted: str, bound: Callable[[str], Target]) -> Built:
    """Return how values of a type of ``LIBRARY`` are made.

    ``bound`` says what a name stands for in the module: where ``datetime`` is the library's module,
    the class is ``datetime.datetime``.
    """
    template, plain = LIBRARY[dotted]
    module, name = dotted.rpartition(".")[0], template.partition("(")[0].partition(".")[0]
    need = External(module, name)
    if bound(name) != need and not isinstance(bound(name), Unresolved):
        need, template = External(module), f"{module}.{template}"
    return Built(
        plain.kind,
        plain.arguments,
        plain.values,
        template=template,
        needs=(need,),
        answer=plain if dotted in DATES else ANY,
    )


def of_enum(owner: ast.ClassDef, where: Definition, resolver: Resolver) -> Built | None:
    """Return how members of an enumeration are made of their names; None of another class."""
    if not _is_enum(owner, where.module, resolver):
        return None
    names = [
        target.id
        for each in owner.body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name) and not target.id.startswith("_")
    ]
    if not names:
        return None
    names = names[:MOST_MEMBERS]
    return Built("literal", values=tuple(names), template=f"{where.name}[{{}}]", needs=(where,))


def _is_enum(owner: ast.ClassDef, module: str, resolver: Resolver, depth: int = 0) -> bool:
    for base in owner.bases:
        first, _, rest = ast.unparse(base).partition(".")
        target = resolver.resolve(module, first)
        if isinstance(target, External):
            dotted = f"{target.dotted}.{rest}".strip(".")
            if dotted.startswith("enum.") and dotted.endswith(("Enum", "Flag")):
                return True
        elif isinstance(target, Definition) and not rest and depth < 5:
            found = class_of(target, resolver)
            if found is not None and _is_enum(found, target.module, resolver, depth + 1):
                return True
    return False


def member_of(need: Need) -> str | None:
    """Return the name of something in its module; None of a module."""
    return need.member if isinstance(need, External) else need.name


def mentioned(need: Need) -> str:
    """Return the name by which an entry point mentions something."""
    return member_of(need) or need.module


def needs_of(kind: Type) -> Iterator[Need]:
    """Yield what making a type's values mentions; nothing for plain types."""
    if isinstance(kind, Built):
        yield from kind.needs
    for each in kind.arguments:
        yield from needs_of(each)


def size_of(kind: Type) -> int:
    """Return of how many parts a type's values are made, itself included."""
    return 1 + sum(map(size_of, kind.arguments))


def plain(kind: Type) -> Type:
    """Return the type of the plain values that a type's values are made of."""
    return Type(kind.kind, tuple(map(plain, kind.arguments)), kind.values, kind.variadic)


def made(kind: Type, source: str, depth: int = 0) -> str:
    """Return an expression that makes a type's value of the plain one that ``source`` gives."""
    if not any(needs_of(kind)):
        return source
    item = "each" if not depth else f"each{depth}"

    def inside(at: int, of: str) -> str:
        return made(kind.arguments[at], of, depth + 1)

    if isinstance(kind, Built):
        if kind.fields:
            parts = [
                f"{name}={inside(at, f'{source}[{at}]')}" for at, name in enumerate(kind.fields)
            ]
            return f"{kind.template}({', '.join(parts)})"
        return kind.template.format(source)
    if kind.kind == "union":  # None, and one that is made
        (other,) = (each for each in kind.arguments if each.kind != "none")
        return f"None if {source} is None else {made(other, source, depth)}"
    if kind.kind in ("dict", "mapping"):
        return f"{{{inside(0, 'key')}: {inside(1, item)} for key, {item} in {source}.items()}}"
    if kind.kind == "tuple" and not kind.variadic:
        parts = [inside(at, f"{source}[{at}]") for at in range(len(kind.arguments))]
        return f"({', '.join(parts)},)"
    body = f"{inside(0, item)} for {item} in {source}"
    if kind.kind in ("set", "frozenset", "tuple"):
        return f"{kind.kind}({body})"
    return f"[{body}]"


def narrowed(members: tuple[Type, ...]) -> tuple[Type, ...]:
    """Return the members of a union that are drawn: plain ones; else None and one that is made."""
    simple = tuple(each for each in members if not any(needs_of(each)))
    if any(each.kind != "none" for each in simple):
        return simple
    others = [each for each in members if each not in simple]
    return (*simple, *others[:1])


def optional(kind: Type) -> Type:
    """Return a type with None."""
    members = kind.arguments if kind.kind == "union" else (kind,)
    if Type("none") in members:
        return kind
    return Type("union", (Type("none"), *members))


def as_plain(kind: Type) -> Type:
    """Return the type of what is answered where a value of a type is returned."""
    if isinstance(kind, Built):
        return kind.answer
    return replace(kind, arguments=tuple(map(as_plain, kind.arguments)))
