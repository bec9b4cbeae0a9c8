"""The generator for input texts: it changes the values of a text, and proposes what they render."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.generate.engine.pool import InputSource
from evalplus_lite.generate.engine.scale import Rung
from evalplus_lite.tasks.texts.forms import TextForm, Unfit
from evalplus_lite.types import Case


class TextGenerator(Generator):
    """A generator of texts of a form; everything but ``form`` is as for values.

    ``base`` and ``seeds`` are texts; a seed that is not of the form is passed over.
    """

    def __init__(
        self, form: TextForm, base: Sequence[Case], *, seeds: Sequence[Case] = (), **options: Any
    ) -> None:
        self.form = form
        known = [case for case in map(self._parsed, seeds) if case is not None]
        super().__init__([self._values(case) for case in base], seeds=known, **options)
        self.challenges.fit = form.fit

    def propose(self, count: int) -> list[Case]:
        """Return new cases, as texts."""
        return [self._text(case) for case in super().propose(count)]

    def propose_for(self, constants: Constants, count: int) -> list[Case]:
        """Return new cases of these constants, as texts."""
        return [self._text(case) for case in super().propose_for(constants, count)]

    def ladder(self, base: Sequence[Case]) -> list[Rung]:
        """Return larger and larger texts."""
        rungs = super().ladder([self._values(case) for case in base])
        return [replace(rung, case=self._text(rung.case)) for rung in rungs]

    def feedback(
        self,
        accepted: Sequence[Case],
        *,
        slow: Sequence[Case] = (),
        apart: Sequence[Case] = (),
        outputs: Sequence[Hashable] | None = None,
    ) -> None:
        """Take on texts that were proposed, and keep below those that were too much."""
        super().feedback(
            [self._values(case) for case in accepted],
            slow=[self._values(case) for case in slow],
            apart=[self._values(case) for case in apart],
            outputs=outputs,
        )

    def _offer(self, case: Case, source: InputSource | None, batch: list[Case]) -> bool:
        arguments = self.form.fit(case.arguments)
        return arguments is not None and super()._offer(
            replace(case, arguments=arguments), source, batch
        )

    def _text(self, case: Case) -> Case:
        return replace(case, arguments=(self.form.render(case.arguments),))

    def _values(self, case: Case) -> Case:
        return replace(case, arguments=self.form.parse(case.arguments[0]))

    def _parsed(self, case: Case) -> Case | None:
        try:
            return self._values(case)
        except (Unfit, IndexError, AttributeError):
            return None
