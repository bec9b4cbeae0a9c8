"""Guards: which inputs may be proposed for a task, judged from the inputs it came with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evalplus_lite.errors import InputError
from evalplus_lite.generate import inference, relations
from evalplus_lite.generate.annotations import Hint, hints
from evalplus_lite.generate.constants import Constants
from evalplus_lite.generate.constants import letters as letters_of
from evalplus_lite.generate.domain import Domain
from evalplus_lite.generate.relations import Arguments, Relation
from evalplus_lite.generate.shape import Shape
from evalplus_lite.types import Task


@dataclass(frozen=True, slots=True)
class Guards:
    """One domain an argument, the numbers of arguments seen, and relations between arguments."""

    shapes: tuple[Shape, ...]
    domains: tuple[Domain, ...]
    arities: tuple[int, ...]
    relations: tuple[Relation, ...] = ()

    @classmethod
    def infer(cls, base: Sequence[Arguments], *, known: Collection[str] = ()) -> Guards:
        """Return guards for a task without a contract: near the base inputs in every respect.

        ``known`` are string constants of the reference: where all words of the inputs are among
        them, they are the vocabulary. Raises InputError if there is no base input.
        """
        shapes = _shapes(base)
        return cls(
            shapes,
            tuple(inference.inferred(shape, known=known) for shape in shapes),
            _arities(base),
            relations.infer(base),
        )

    @classmethod
    def typed(
        cls, base: Sequence[Arguments], *, stated: Sequence[Hint] = (), letters: str = ""
    ) -> Guards:
        """Return guards for a task whose contract decides validity: types, forms and characters.

        Besides what was seen, the types that the signature states (``annotations.hints``) are
        allowed, and ``letters``, beyond printable ASCII, where strings were seen.
        """
        shapes = _shapes(base)
        padded = [*stated, *[Hint()] * len(shapes)]
        domains = (
            inference.typed(shape, letters=letters).widened(hint)
            for shape, hint in zip(shapes, padded, strict=False)
        )
        return cls(shapes, tuple(domains), _arities(base))

    @classmethod
    def of_task(cls, task: Task, *, constants: Constants | None = None) -> Guards:
        """Return typed guards where the task's contract has a precondition, else inferred ones."""
        base = [case.arguments for case in task.base]
        if task.contract is not None and "def precondition(" in task.contract:
            stated = hints(task.prompt, task.entry_point)
            return cls.typed(base, stated=stated, letters=letters_of(task.reference))
        return cls.infer(base, known=(constants or Constants.of_task(task)).strings)

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


def _shapes(base: Sequence[Arguments]) -> tuple[Shape, ...]:
    if not base:
        raise InputError("no base input to infer guards from", remedy="give the task an input")
    longest = max(map(len, base))
    return tuple(
        Shape.of(arguments[place] for arguments in base if len(arguments) > place)
        for place in range(longest)
    )


def _arities(base: Sequence[Arguments]) -> tuple[int, ...]:
    return tuple(sorted({len(arguments) for arguments in base}))


def _either(numbers: tuple[int, ...]) -> str:
    return " or ".join(map(str, numbers))
