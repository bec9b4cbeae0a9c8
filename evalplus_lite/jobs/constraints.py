"""Contract drafts: constraints implied by a task's inputs and text, as code for review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evalplus_lite.generate.domains.domain import Domain
from evalplus_lite.generate.domains.evidence import Constraint
from evalplus_lite.generate.domains.filter import STATED, InputFilter
from evalplus_lite.tasks.formulas import Comparison, Unreadable
from evalplus_lite.tasks.stated_constraints import StatedConstraint, of_function, parameters
from evalplus_lite.types import Task


def infer_constraints(task: Task) -> list[str]:
    """Return the lines of a contract implied by a task's base inputs and text, for a person to
    review and paste into the task. An existing contract is ignored.

    A constraint that cannot be written as an assertion, or is not assumed, becomes a comment. A
    task whose inputs are calls or tests gets only a comment, as they do not constrain other calls.
    """
    kind = task.harness.kind
    if kind in ("sequence", "unittest", "assertions"):
        return [f"# no contract is inferred: the inputs of {kind!r} tasks are calls, not values"]
    # As augmentation would infer them, had the task no contract.
    input_filter = InputFilter.of_task(replace(task, contract=None))
    names = parameters(task)[: len(input_filter.domains)]
    names += [f"argument{n}" for n in range(len(names), len(input_filter.domains))]
    stated = of_function(task)[0].constraints
    body: list[str] = []
    for name, domain in zip(names, input_filter.domains, strict=True):
        body += _assertions(domain, name)
    for constraint in input_filter.constraints:
        if constraint.is_limit and not (constraint.is_chosen or constraint.is_stated):
            continue  # the assertions above imply it
        # A script has one input, its text.
        text = constraint.text
        if kind == "script":
            text = text.replace("argument 0", "the text")
        description = f"{text} ({constraint.support}; {constraint.name})"
        code = _code(constraint, names, stated) if constraint.is_on else None
        if code is not None:
            body.append(f"assert {code}, {text!r}  # {constraint.name}")
        else:
            body.append(f"# {'assumed' if constraint.is_on else 'not assumed'}: {description}")
    return [f"def precondition({', '.join(names)}):", *(f"    {line}" for line in body)]


_PLAIN = (bool, int, float, complex, str, bytes, list, tuple, set, frozenset, dict, type(None))
_CODE = {
    "sorted": "list({0}) == sorted({0})",
    "descending": "list({0}) == sorted({0}, reverse=True)",
    "distinct": "all({0}.count(each) == 1 for each in {0})",
    "ordered-pairs": "all(list(row) == sorted(row) for row in {0})",
    "rectangular": "len({{len(row) for row in {0}}}) <= 1",
    "square": "all(len(row) == len({0}) for row in {0})",
    "less": "{0} < {1}",
    "at-most": "{0} <= {1}",
    "shorter": "len({0}) < len({1})",
    "no-longer": "len({0}) <= len({1})",
    "equal-length": "len({0}) == len({1})",
    "index": "0 <= {0} < len({1})",
    "count": "0 < {0} <= len({1})",
    "at-most-length": "0 <= {0} <= len({1})",
    "element": "{0} in {1}",
    "part": "{0} in {1}",
}
"""Constraints on whole arguments, as expressions with their names."""


def _code(
    constraint: Constraint, names: Sequence[str], stated: Sequence[StatedConstraint]
) -> str | None:
    """Return a constraint as an expression; None if there is no simple one."""
    first, kind, *rest = constraint.name.split(".")
    if constraint.name.startswith(STATED):
        return _stated_code(stated[int(kind)], names)
    # Constraints within an argument have no short expression: they stay comments.
    if kind not in _CODE or not all(part.isdecimal() for part in (first, *rest)):
        return None
    return _CODE[kind].format(*(names[int(part)] for part in (first, *rest)))


def _stated_code(stated: StatedConstraint, names: Sequence[str]) -> str | None:
    if stated.formula:
        try:
            return Comparison.read(stated.formula).code(names)
        except Unreadable:
            return None
    name, kind = stated.order
    return _CODE[kind].format(name) if name in names and kind in _CODE else None


def _assertions(domain: Domain, name: str, depth: int = 0) -> list[str]:
    """Return the assertions that keep a value within a domain."""
    # An extended type has no name in a contract, so it stays a comment.
    kinds = [kind for kind in domain.kinds if kind in _PLAIN]
    if len(kinds) < len(domain.kinds) or not kinds:
        return [f"# {name}: {' or '.join(kind.__name__ for kind in domain.kinds) or 'anything'}"]
    words = ["type(None)" if kind is type(None) else kind.__name__ for kind in kinds]
    has_type = f"is {words[0]}" if len(words) == 1 else f"in ({', '.join(words)})"
    lines = [f"assert type({name}) {has_type}, {name!r}"]
    # If there are several types, checks of sizes and ranges apply only to some of them.
    groups: list[tuple[tuple[type, ...], list[str]]] = [
        ((int, float), _ranged(domain, name)),
        ((str,), _sized(domain, name) + _lettered(domain, name)),
        ((bytes,), _sized(domain, name)),
        ((list, tuple, set, frozenset), _sized(domain, name) + _inner(domain, name, depth)),
        ((dict,), _sized(domain, name) + _entries(domain, name, depth)),
    ]
    for of, checks in groups:
        if not checks or not set(of) & set(kinds):
            continue
        if set(kinds) <= set(of):
            lines += checks
        else:
            lines.append(f"if type({name}) in ({', '.join(kind.__name__ for kind in of)},):")
            lines += [f"    {line}" for line in checks]
    return lines


def _ranged(domain: Domain, name: str) -> list[str]:
    low = "" if domain.lowest is None else f"{domain.lowest!r} <= "
    high = "" if domain.highest is None else f" <= {domain.highest!r}"
    return [f"assert {low}{name}{high}, {name!r}"] if low or high else []


def _sized(domain: Domain, name: str) -> list[str]:
    low = f"{domain.smallest} <= " if domain.smallest else ""
    high = "" if domain.largest is None else f" <= {domain.largest}"
    return [f"assert {low}len({name}){high}, {name!r}"] if low or high else []


def _lettered(domain: Domain, name: str) -> list[str]:
    if domain.words:
        return [f"assert set({name}.split()) <= set({sorted(domain.words)!r}), {name!r}"]
    if domain.alphabet and not domain.has_any_characters:
        return [f"assert set({name}) <= set({domain.alphabet!r}), {name!r}"]
    return []


def _inner(domain: Domain, name: str, depth: int) -> list[str]:
    if domain.positions is not None:
        parts = enumerate(domain.positions)
        return [line for n, each in parts for line in _assertions(each, f"{name}[{n}]", depth)]
    return _loop(domain.items, name, depth)


def _entries(domain: Domain, name: str, depth: int) -> list[str]:
    values = _loop(domain.values, f"{name}.values()", depth)
    return _loop(domain.keys, name, depth) + values


def _loop(domain: Domain | None, items: str, depth: int) -> list[str]:
    if domain is None:
        return []
    # An inner loop needs its own name, or it would shadow the item of the outer one.
    item = "item" if not depth else f"item{depth}"
    lines = _assertions(domain, item, depth + 1)
    return [f"for {item} in {items}:", *(f"    {line}" for line in lines)]
