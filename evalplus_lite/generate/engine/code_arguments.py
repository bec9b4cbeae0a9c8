"""The generator for cases with arguments that are code: it chooses among texts, and makes none up.

To the generator such an argument is a number, the place of its text among those known.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.generate.engine.pool import InputSource
from evalplus_lite.generate.engine.scale import Rung
from evalplus_lite.types import Case, Value
from evalplus_lite.values.identity import key

GENERIC = ("lambda *a: a[0]", "lambda *a: not a[0]", "lambda *a: 0")
"""Functions of any arguments, tried beside a task's own: the first of them, whether it is nothing,
and always the same."""


class CodeTexts:
    """What the code arguments of a task's cases may be, by their places."""

    def __init__(self, places: Iterable[int], base: Sequence[Case]) -> None:
        self.known: dict[int, list[Value]] = {place: [] for place in places}
        for case in base:
            self.numbered(case)
        for texts in self.known.values():
            if all(type(text) is str for text in texts):
                texts.extend(text for text in GENERIC if text not in texts)

    def numbered(self, case: Case) -> Case:
        """Return a case with numbers for its code, which is noted."""
        arguments = list(case.arguments)
        for place, texts in self.known.items():
            if place < len(arguments):
                names = list(map(key, texts))
                name = key(arguments[place])
                if name not in names:
                    names.append(name)
                    texts.append(arguments[place])
                arguments[place] = names.index(name)
        return replace(case, arguments=tuple(arguments))

    def fitted(self, case: Case) -> Case | None:
        """Return a case whose numbers stand for texts; None if something else is in their place."""
        arguments = list(case.arguments)
        for place, texts in self.known.items():
            if place < len(arguments):
                if type(arguments[place]) is not int:
                    return None
                arguments[place] %= len(texts)
        return replace(case, arguments=tuple(arguments))

    def written(self, case: Case) -> Case:
        """Return a case with texts for its numbers."""
        arguments = list(case.arguments)
        for place, texts in self.known.items():
            if place < len(arguments):
                arguments[place] = texts[arguments[place]]
        return replace(case, arguments=tuple(arguments))

    def unrelated(self, found: InputFilter) -> InputFilter:
        """Return a filter without what it says of the numbers, which mean nothing."""
        places = self.known.keys()
        return replace(
            found,
            relations=tuple(r for r in found.relations if not places & set(r.positions)),
            found=tuple(c for c in found.found if not places & _positions(c.name)),
        )


def _positions(name: str) -> set[int]:
    """Return the places of arguments that a constraint is named by, such as ``0.less.1``."""
    parts = name.split(".")
    return {int(part) for part in (parts[0], parts[-1]) if part.isdecimal()}


class CodeGenerator(Generator):
    """A generator of cases with code; everything but ``texts`` is as for values."""

    def __init__(
        self, texts: CodeTexts, base: Sequence[Case], *, seeds: Sequence[Case] = (), **options: Any
    ) -> None:
        self.texts = texts
        known = list(map(texts.numbered, seeds))
        super().__init__(list(map(texts.numbered, base)), seeds=known, **options)

    def propose(self, count: int) -> list[Case]:
        """Return new cases, with code."""
        return list(map(self.texts.written, super().propose(count)))

    def propose_for(self, constants: Constants, count: int) -> list[Case]:
        """Return new cases of these constants, with code."""
        return list(map(self.texts.written, super().propose_for(constants, count)))

    def plant(self, cases: Iterable[Case]) -> None:
        """Propose these cases next."""
        super().plant(map(self.texts.numbered, cases))

    def ladder(self, base: Sequence[Case]) -> list[Rung]:
        """Return larger and larger cases of the same code."""
        rungs = super().ladder(list(map(self.texts.numbered, base)))
        return [
            replace(rung, case=self.texts.written(rung.case))
            for rung in rungs
            if self.texts.fitted(rung.case) == rung.case
        ]

    def feedback(
        self,
        accepted: Sequence[Case],
        *,
        slow: Sequence[Case] = (),
        apart: Sequence[Case] = (),
        outputs: Sequence[Hashable] | None = None,
    ) -> None:
        """Take on cases that were proposed, and keep below those that were too much."""
        numbered = self.texts.numbered
        super().feedback(
            list(map(numbered, accepted)),
            slow=list(map(numbered, slow)),
            apart=list(map(numbered, apart)),
            outputs=outputs,
        )

    def _offer(self, case: Case, source: InputSource | None, batch: list[Case]) -> bool:
        fitted = self.texts.fitted(case)
        return fitted is not None and super()._offer(fitted, source, batch)
