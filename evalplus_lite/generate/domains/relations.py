"""Relations: what held in all base inputs between arguments, or within one list.

Without a contract these are the only hints at a precondition, so each is taken on where enough
inputs speak for it (``evidence``), and then binds every generated input.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence, Sized
from dataclasses import dataclass, field
from itertools import pairwise, permutations

from evalplus_lite.generate.domains.evidence import Ledger
from evalplus_lite.generate.domains.profile import SEQUENCES, SIZED
from evalplus_lite.types import Value
from evalplus_lite.values.identity import key
from evalplus_lite.values.kinds.registry import BY_TYPE

Arguments = Sequence[Value]


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation that every input must keep; ``text`` says it, ``holds`` decides it.

    ``informs`` says whether an input's values at the positions might have broken it.
    """

    kind: str
    text: str
    positions: tuple[int, ...]
    holds: Callable[[Arguments], bool] = field(compare=False)
    informs: Callable[[Arguments], bool] = field(compare=False)

    @property
    def name(self) -> str:
        """What the user calls it: positions and kind, such as ``0.sorted`` or ``0.less.1``."""
        first, *rest = map(str, self.positions)
        return ".".join((first, self.kind, *rest))

    def seen(self, base: Sequence[Arguments]) -> int:
        """Return how many distinct informative inputs there are."""
        informative = (arguments for arguments in base if self.informs(arguments))
        return len(
            {key(tuple(each[position] for position in self.positions)) for each in informative}
        )


def infer(base: Sequence[Arguments], ledger: Ledger) -> tuple[Relation, ...]:
    """Return the relations that hold over all base inputs and that ``ledger`` takes on."""
    if len({len(arguments) for arguments in base}) != 1:
        return ()
    found = []
    for each in candidates(base):
        seen = each.seen(base)
        if seen and ledger.takes(each.name, each.text, kind=each.kind, seen=seen):
            found.append(each)
    return tuple(found)


def candidates(base: Sequence[Arguments]) -> Iterator[Relation]:
    """Yield the relations that hold over all base inputs, whatever speaks for them.

    Of several that imply one another only the strongest.
    """
    arity = len(base[0])
    for position in range(arity):
        column = [arguments[position] for arguments in base]
        if all(type(value) in SEQUENCES for value in column):
            yield from _within(position, column)
    for first, second in permutations(range(arity), 2):
        pairs = [(arguments[first], arguments[second]) for arguments in base]
        yield from _between(first, second, pairs)


def _within(position: int, column: Sequence[Value]) -> Iterator[Relation]:
    def relation(
        kind: str, text: str, holds: Callable[[Value], bool], informs: Callable[[Value], bool]
    ) -> Iterator[Relation]:
        if all(map(holds, column)):
            yield Relation(
                kind,
                f"argument {position} {text}",
                (position,),
                lambda arguments: holds(arguments[position]),
                lambda arguments: informs(arguments[position]),
            )

    def has_several(values: Sequence[Value]) -> bool:
        return len({*map(key, values)}) > 1

    if all(map(_is_comparable, column)):
        yield from relation("sorted", "is sorted", _is_sorted, has_several)
        yield from relation("descending", "is sorted downwards", _is_descending, has_several)
    yield from relation("distinct", "holds no value twice", _is_distinct, lambda v: len(v) > 1)


def _between(first: int, second: int, pairs: Sequence[tuple[Value, Value]]) -> Iterator[Relation]:
    def strongest(
        *options: tuple[str, str, Callable[[Value, Value], bool]],
        informs: Callable[[Value, Value], bool] = lambda left, right: True,
    ) -> Iterator[Relation]:
        for kind, text, holds in options:
            if all(holds(left, right) for left, right in pairs):
                yield Relation(
                    kind,
                    text.format(f"argument {first}", f"argument {second}"),
                    (first, second),
                    lambda arguments: holds(arguments[first], arguments[second]),  # noqa: B023 - returns
                    lambda arguments: informs(arguments[first], arguments[second]),
                )
                return

    left_kinds = {type(left) for left, _ in pairs}
    right_kinds = {type(right) for _, right in pairs}
    if left_kinds | right_kinds <= {int, float} or _has_order(left_kinds | right_kinds):
        yield from strongest(
            ("less", "{} < {}", lambda a, b: _is_sorted((a, b)) and a != b),
            ("at-most", "{} <= {}", lambda a, b: _is_sorted((a, b))),
        )
    if left_kinds | right_kinds <= set(SIZED):
        if all(len(left) == len(right) for left, right in pairs):
            if first < second:
                yield from strongest(
                    ("equal-length", "{} and {} are of equal length", _are_of_one_length)
                )
        else:
            yield from strongest(
                ("shorter", "{} is shorter than {}", lambda a, b: len(a) < len(b)),
                ("no-longer", "{} is no longer than {}", lambda a, b: len(a) <= len(b)),
            )
    if left_kinds == {int} and right_kinds <= set(SIZED):
        yield from strongest(
            ("index", "{} is an index into {}", lambda a, b: 0 <= a < len(b)),
            ("count", "{} is a count or position within {}", lambda a, b: 0 < a <= len(b)),
            ("at-most-length", "{} is at most the length of {}", lambda a, b: 0 <= a <= len(b)),
        )
    if right_kinds <= set(SEQUENCES) and left_kinds <= {int, str, float}:
        yield from strongest(("element", "{} is an element of {}", _is_in))
    if left_kinds == right_kinds == {str}:
        yield from strongest(
            ("part", "{} is a part of {}", _is_in), informs=lambda left, right: bool(left)
        )


def _has_order(kinds: set[type]) -> bool:
    """Return whether values of a type beyond the plain ones come before and after each other."""
    return len(kinds) == 1 and all(each in BY_TYPE and BY_TYPE[each].has_order for each in kinds)


def _are_of_one_length(left: Sized, right: Sized) -> bool:
    return len(left) == len(right)


def _is_in(element: Value, container: Container[Value]) -> bool:
    return element in container


def _is_comparable(values: Sequence[Value]) -> bool:
    kinds = set(map(type, values))
    return kinds <= {int, float} or kinds == {str}


def _is_sorted(values: Sequence[Value]) -> bool:
    try:
        return all(left <= right for left, right in pairwise(values))
    except (TypeError, ArithmeticError):  # times with and without an offset; a Decimal that is NaN
        return False


def _is_descending(values: Sequence[Value]) -> bool:
    return _is_sorted(values[::-1])


def _is_distinct(values: Sequence[Value]) -> bool:
    return len({*map(key, values)}) == len(values)
