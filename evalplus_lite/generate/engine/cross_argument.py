"""Cross-argument mutation: changes to several arguments of an input together.

A condition often ties arguments (a limit that the sum just reaches, a word that is an element, two
equal lists): chance hardly meets it, so one argument is made from another on purpose.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence

from evalplus_lite.generate.domains.profile import CONTAINERS, elements_of, order
from evalplus_lite.generate.engine.slots import OperatorTable, Slot
from evalplus_lite.generate.operators.registry import Operator, below, pick
from evalplus_lite.types import Value

Arguments = tuple[Value, ...]
CrossArgumentMutation = Callable[[Arguments, Sequence[Slot]], Arguments]


def derive(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """Return the input with one argument made from another: its length, sum, element, part."""
    if len(arguments) < 2:
        return arguments
    site = slots[0]
    to, at = below(site, len(arguments)), below(site, len(arguments) - 1)
    at += at >= to
    made = _derived(type(arguments[to]), arguments[at], arguments[to], site)
    return arguments if made is None else _with(arguments, to, made)


def exchange(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """Return the input with two arguments of one type exchanged, or one in both places."""
    if len(arguments) < 2:
        return arguments
    site = slots[0]
    to, at = below(site, len(arguments)), below(site, len(arguments) - 1)
    at += at >= to
    if type(arguments[to]) is not type(arguments[at]):
        return arguments
    changed = _with(arguments, to, arguments[at])
    return changed if site.random() < 0.3 else _with(changed, at, arguments[to])


def combine(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """Return the input with one argument as it was in another input seen."""
    site = slots[below(slots[0], len(arguments))]
    at = slots.index(site)
    value = pick(site, site.seen) if site.seen else arguments[at]
    return _with(arguments, at, value)


def together(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """Return the input with all its lists (or strings) cut, extended or rearranged alike."""
    site = slots[0]
    kinds = (list, tuple, str)
    ats = [at for at, value in enumerate(arguments) if type(value) in kinds]
    if len(ats) < 2 or len({len(arguments[at]) for at in ats}) != 1 or not arguments[ats[0]]:
        return arguments
    size = len(arguments[ats[0]])
    indices = list(range(size))
    way, index = below(site, 4), below(site, size)
    if way == 0:
        del indices[index]
    elif way == 1:
        indices.insert(index, below(site, size))
    elif way == 2:
        indices = indices[: index + 1]
    else:
        indices.reverse()
    changed = list(arguments)
    for at in ats:
        value = arguments[at]
        taken = [value[each] for each in indices]
        changed[at] = "".join(taken) if type(value) is str else type(value)(taken)
    return tuple(changed)


def shuffle(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """Return the input with all arguments of one type in another order."""
    site = slots[0]
    kind = type(pick(site, arguments))
    ats = [at for at, value in enumerate(arguments) if type(value) is kind]
    changed = list(arguments)
    for last in range(len(ats) - 1, 0, -1):
        other = below(site, last + 1)
        one, two = ats[last], ats[other]
        changed[one], changed[two] = changed[two], changed[one]
    return tuple(changed)


def scale(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    """Return the input with all its numbers multiplied, or moved, or their signs turned, alike."""
    site = slots[0]
    factor, offset = pick(site, _SCALES)
    max_magnitude = site.state.max_magnitude
    changed = tuple(
        value * factor + offset if type(value) in (int, float) else value for value in arguments
    )
    is_near = all(
        type(v) not in (int, float) or -max_magnitude <= v <= max_magnitude for v in changed
    )
    return changed if is_near else arguments


_SCALES = ((2, 0), (3, 0), (5, 0), (10, 0), (-1, 0), (1, 1), (1, -1), (1, 10))
"""What to multiply by and what to add."""

CROSS_ARGUMENT: tuple[tuple[str, int, CrossArgumentMutation], ...] = (
    ("arguments.derive", 3, derive),
    ("arguments.exchange", 1, exchange),
    ("arguments.shuffle", 1, shuffle),
    ("arguments.scale", 2, scale),
    ("arguments.combine", 1, combine),
    ("arguments.together", 1, together),
)
"""The links with the names that provenance shows, and their weights."""

ONE_ARGUMENT_WEIGHT = 20
"""The weight, beside those of the links, of changing one argument by itself."""


class CrossArgument:
    """Chooses between changing one argument and each of the links, by weight and success."""

    def __init__(self) -> None:
        operators = [
            Operator(name, tuple, mutation, (), weight) for name, weight, mutation in CROSS_ARGUMENT
        ]
        single = Operator("argument", tuple, _unchanged, (), ONE_ARGUMENT_WEIGHT)
        every = [single, *operators]
        self.table = OperatorTable(every, [each.weight for each in every])

    def choose(self, random: Callable[[], float]) -> int:
        """Return 0 for one argument alone, else the number of a link in the table."""
        return bisect(self.table.cumulative, random() * self.table.total)


def _unchanged(arguments: Arguments, slots: Sequence[Slot]) -> Arguments:
    return arguments


def _with(arguments: Arguments, at: int, value: Value) -> Arguments:
    return (*arguments[:at], value, *arguments[at + 1 :])


def _derived(kind: type, source: Value, old: Value, site: Slot) -> Value | None:
    """Return a value of the kind that the source suggests, or None where it suggests none."""
    source_kind = type(source)
    if kind is int or kind is float:
        number = _number(source_kind, source, old, site)
        max_magnitude = site.state.max_magnitude
        return (
            kind(number)
            if number is not None and -max_magnitude <= number <= max_magnitude
            else None
        )
    if kind is str and source_kind is str:
        return _part(source, site)
    if source_kind in CONTAINERS and source:
        element = pick(site, elements_of(source))
        if type(element) is kind:
            return _part(str(element), site) if kind is str and site.random() < 0.5 else element
    if kind in (list, tuple) and source_kind in (list, tuple):
        return kind(_rearranged(list(source), site))
    return None


def _number(kind: type, source: Value, old: Value, site: Slot) -> Value:
    way = below(site, 7)
    if kind is int or kind is float:
        steps = (source, source + 1, source - 1, source * 2, source + old, source - old, -source)
        return steps[way]
    size = len(source) if hasattr(source, "__len__") else None
    numbers = []
    if kind in CONTAINERS:
        numbers = [each for each in elements_of(source) if type(each) in (int, float)]
    if numbers and way < 4:
        return (_total(numbers), max(numbers), min(numbers), pick(site, numbers))[way] + pick(
            site, (0, 0, 1, -1)
        )
    return None if size is None else size + pick(site, (0, 0, 1, -1, -size))


def _total(numbers: list[Value]) -> Value:
    """Return the sum, added up in order: `sum` rounds floats otherwise since Python 3.12."""
    total = 0
    for number in numbers:
        total += number
    return total


def _part(source: str, site: Slot) -> str:
    """Return a part or rearrangement of a string."""
    way = below(site, 6)
    start = below(site, len(source) + 1)
    if way == 0:
        return source
    if way == 1:
        return source[start:]
    if way == 2:
        return source[:start]
    if way == 3:
        return source[start : start + 1 + below(site, 3)]
    return source[::-1] if way == 4 else source[start:] + source[:start]


def _rearranged(source: list[Value], site: Slot) -> list[Value]:
    way = below(site, 5)
    start = below(site, len(source) + 1)
    if way == 0:
        return source
    if way == 1:
        return source[::-1]
    if way == 2:
        return source[:start]
    if way == 3:
        return sorted(source, key=order)
    return source[start:] + source[:start]
