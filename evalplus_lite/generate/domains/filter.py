"""Guards: which inputs may be proposed for a task, judged from the inputs it came with."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from evalplus_lite.errors import InputError
from evalplus_lite.generate.domains import inference, relations
from evalplus_lite.generate.domains.annotations import Hint, hints
from evalplus_lite.generate.domains.columns import Column
from evalplus_lite.generate.domains.constants import Constants, examples
from evalplus_lite.generate.domains.constants import letters as letters_of
from evalplus_lite.generate.domains.domain import Domain
from evalplus_lite.generate.domains.evidence import Guard, Ledger
from evalplus_lite.generate.domains.profile import Shape
from evalplus_lite.generate.domains.relations import Arguments, Relation
from evalplus_lite.tasks.contracts import parse
from evalplus_lite.types import Task


@dataclass(frozen=True, slots=True)
class Guards:
    """One domain an argument, the numbers of arguments seen, and relations between arguments.

    ``found`` are all constraints that the examples keep to, taken on or not, with their support.
    """

    shapes: tuple[Shape, ...]
    domains: tuple[Domain, ...]
    arities: tuple[int, ...]
    relations: tuple[Relation, ...] = ()
    found: tuple[Guard, ...] = ()

    @classmethod
    def infer(
        cls,
        base: Sequence[Arguments],
        *,
        known: Collection[str] = (),
        choices: Mapping[str, bool] | None = None,
    ) -> Guards:
        """Return guards for a task without a contract: near the base inputs in every respect.

        ``known`` are string constants of the reference: where all words of the inputs are among
        them, they are the vocabulary. ``choices`` take guards on or leave them off by name.
        Raises InputError if there is no base input, or no guard of a name in ``choices``.
        """
        shapes, columns = _shapes(base)
        ledger = Ledger(choices)
        domains = tuple(
            inference.inferred(shape, column, ledger, known=known)
            for shape, column in zip(shapes, columns, strict=True)
        )
        found = relations.infer(base, ledger)
        return cls(shapes, domains, _arities(base), found, ledger.finished())

    @classmethod
    def typed(
        cls,
        base: Sequence[Arguments],
        *,
        stated: Sequence[Hint] = (),
        letters: str = "",
        choices: Mapping[str, bool] | None = None,
    ) -> Guards:
        """Return guards for a task whose contract decides validity: types, forms and characters.

        Besides what was seen, the types that the signature states (``annotations.hints``) are
        allowed, and ``letters``, beyond printable ASCII, where strings were seen. ``choices`` are
        as in ``infer``.
        """
        shapes, columns = _shapes(base)
        ledger = Ledger(choices)
        padded = [*stated, *[Hint()] * len(shapes)]
        domains = tuple(
            inference.typed(shape, column, ledger, letters=letters).widened(hint)
            for shape, column, hint in zip(shapes, columns, padded, strict=False)
        )
        return cls(shapes, domains, _arities(base), found=ledger.finished())

    @classmethod
    def of_task(cls, task: Task, *, constants: Constants | None = None) -> Guards:
        """Return typed guards where the task's contract has a precondition, else inferred ones.

        The task's own choices (``Task.guards``) decide before any support.
        """
        base = [case.arguments for case in task.base]
        try:
            if task.contract is not None and parse(task.contract).has_precondition:
                stated = hints(task.prompt, task.entry_point)
                letters = letters_of(task.reference)
                return cls.typed(base, stated=stated, letters=letters, choices=task.guards)
            known = (constants or Constants.of_task(task)).strings
            return cls.infer([*base, *_shown(task, base)], known=known, choices=task.guards)
        except InputError as error:
            raise InputError(f"{task.id}: {error.problem}", remedy=error.remedy) from None

    def admits(self, arguments: Arguments) -> bool:
        """Return whether the input may be proposed."""
        return self.explain(arguments) is None

    def explain(self, arguments: Arguments) -> str | None:
        """Return why the input may not be proposed, or None where it may."""
        if len(arguments) not in self.arities:
            return f"{len(arguments)} arguments where {_either(self.arities)} were seen"
        for place, (domain, value) in enumerate(zip(self.domains, arguments, strict=False)):
            if (reason := domain.explain(value)) is not None:
                return f"argument {place}: {reason}"
        for relation in self.relations:
            if not relation.holds(arguments):
                return f"does not keep to: {relation.text}"
        return None


def _shapes(base: Sequence[Arguments]) -> tuple[tuple[Shape, ...], list[Column]]:
    if not base:
        raise InputError("no base input to infer guards from", remedy="give the task an input")
    longest = max(map(len, base))
    shapes = tuple(
        Shape.of(arguments[place] for arguments in base if len(arguments) > place)
        for place in range(longest)
    )
    return shapes, [Column.of_argument(base, place) for place in range(longest)]


def _shown(task: Task, base: Sequence[Arguments]) -> list[Arguments]:
    """Return the inputs that the prompt shows, where they are of types seen: evidence as well."""
    seen = {tuple(map(type, arguments)) for arguments in base}
    shown = examples(task.prompt, task.entry_point)
    return [arguments for arguments in shown if tuple(map(type, arguments)) in seen]


def _arities(base: Sequence[Arguments]) -> tuple[int, ...]:
    return tuple(sorted({len(arguments) for arguments in base}))


def _either(numbers: tuple[int, ...]) -> str:
    return " or ".join(map(str, numbers))
