"""The input filter: which inputs may be proposed for a task, judged from those it came with."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from evalplus_lite.errors import InputError
from evalplus_lite.generate.domains import inference, relations
from evalplus_lite.generate.domains.annotations import UNKNOWN, Type, hints
from evalplus_lite.generate.domains.columns import Column
from evalplus_lite.generate.domains.constants import Constants, examples
from evalplus_lite.generate.domains.constants import characters as characters_of
from evalplus_lite.generate.domains.domain import Domain
from evalplus_lite.generate.domains.evidence import Constraint, Ledger
from evalplus_lite.generate.domains.members import members_of, with_members
from evalplus_lite.generate.domains.profile import Profile
from evalplus_lite.generate.domains.relations import Arguments, Relation
from evalplus_lite.tasks.contracts import parse
from evalplus_lite.types import Task


@dataclass(frozen=True, slots=True)
class InputFilter:
    """One domain an argument, the numbers of arguments seen, and relations between arguments.

    ``found`` are all constraints that the examples keep to, taken on or not, with their support.
    """

    profiles: tuple[Profile, ...]
    domains: tuple[Domain, ...]
    arities: tuple[int, ...]
    relations: tuple[Relation, ...] = ()
    found: tuple[Constraint, ...] = ()

    @classmethod
    def infer(
        cls,
        base: Sequence[Arguments],
        *,
        known: Collection[str] = (),
        choices: Mapping[str, bool] | None = None,
    ) -> InputFilter:
        """Return the filter for a task without a contract: near the base inputs in every respect.

        ``known`` are string constants of the reference: where all words of the inputs are among
        them, they are the vocabulary. ``choices`` take constraints on or leave them off by name.
        Raises InputError if there is no base input, or no constraint of a name in ``choices``.
        """
        profiles, columns = _profiles(base)
        ledger = Ledger(choices)
        domains = tuple(
            inference.inferred(profile, column, ledger, known=known)
            for profile, column in zip(profiles, columns, strict=True)
        )
        found = relations.infer(base, ledger)
        return cls(profiles, domains, _arities(base), found, ledger.finished())

    @classmethod
    def typed(
        cls,
        base: Sequence[Arguments],
        *,
        stated: Sequence[Type] = (),
        characters: str = "",
        choices: Mapping[str, bool] | None = None,
    ) -> InputFilter:
        """Return the filter for a task whose contract decides: types, forms and characters.

        Besides what was seen, the types that the signature states (``annotations.hints``) are
        allowed, and ``characters``, beyond printable ASCII, if strings were seen. ``choices`` as
        in ``infer``.
        """
        profiles, columns = _profiles(base)
        ledger = Ledger(choices)
        padded = [*stated, *[UNKNOWN] * len(profiles)]
        domains = tuple(
            inference.typed(profile, column, ledger, characters=characters).widened(hint)
            for profile, column, hint in zip(profiles, columns, padded, strict=False)
        )
        return cls(profiles, domains, _arities(base), found=ledger.finished())

    @classmethod
    def of_task(
        cls, task: Task, *, constants: Constants | None = None, is_own: bool = False
    ) -> InputFilter:
        """Return the typed filter if the task's contract has a precondition, else the inferred one.

        A contract that was written for the task (``is_own``), and not just stated by its row,
        decides itself about characters, and about floats where integers were seen.
        The task's own choices (``Task.constraints``) decide before any support.
        """
        found = cls._of_task(task, constants, is_own=is_own)
        members = members_of(task.reference)
        if not members:
            return found
        domains = tuple(with_members(domain, members) for domain in found.domains)
        return replace(found, domains=domains)

    @classmethod
    def _of_task(cls, task: Task, constants: Constants | None, *, is_own: bool) -> InputFilter:
        base = [case.arguments for case in task.base]
        try:
            if task.contract is not None and parse(task.contract).has_precondition:
                stated = hints(task.prompt, task.entry_point)
                if task.harness.constructed:  # the constructor's arguments are the first
                    stated = (UNKNOWN, *stated)
                characters = characters_of(task.reference)
                typed = cls.typed(
                    base, stated=stated, characters=characters, choices=task.constraints
                )
                if not is_own:
                    return typed
                return replace(typed, domains=tuple(each.opened() for each in typed.domains))
            known = (constants or Constants.of_task(task)).strings
            return cls.infer([*base, *_shown(task, base)], known=known, choices=task.constraints)
        except InputError as error:
            raise InputError(f"{task.id}: {error.problem}", remedy=error.remedy) from None

    def admits(self, arguments: Arguments) -> bool:
        """Return whether the input may be proposed."""
        return self.explain(arguments) is None

    def explain(self, arguments: Arguments) -> str | None:
        """Return why the input may not be proposed, or None where it may."""
        if len(arguments) not in self.arities:
            return f"{len(arguments)} arguments where {_either(self.arities)} were seen"
        for position, (domain, value) in enumerate(zip(self.domains, arguments, strict=False)):
            if (reason := domain.explain(value)) is not None:
                return f"argument {position}: {reason}"
        for relation in self.relations:
            if not relation.holds(arguments):
                return f"does not keep to: {relation.text}"
        return None


def _profiles(base: Sequence[Arguments]) -> tuple[tuple[Profile, ...], list[Column]]:
    if not base:
        raise InputError("no base input to infer constraints from", remedy="give the task an input")
    largest = max(map(len, base))
    profiles = tuple(
        Profile.of(arguments[position] for arguments in base if len(arguments) > position)
        for position in range(largest)
    )
    return profiles, [Column.of_argument(base, position) for position in range(largest)]


def _shown(task: Task, base: Sequence[Arguments]) -> list[Arguments]:
    """Return the inputs that the prompt shows, where they are of types seen: evidence as well."""
    seen = {tuple(map(type, arguments)) for arguments in base}
    shown = examples(task.prompt, task.entry_point)
    return [arguments for arguments in shown if tuple(map(type, arguments)) in seen]


def _arities(base: Sequence[Arguments]) -> tuple[int, ...]:
    return tuple(sorted({len(arguments) for arguments in base}))


def _either(numbers: tuple[int, ...]) -> str:
    return " or ".join(map(str, numbers))
