"""One interface for what proposes cases, and generators whose cases are written in another form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Arguments, Generator
from evalplus_lite.generate.engine.scale import Rung, Scales
from evalplus_lite.types import Case


class Proposer(Protocol):
    """Proposes cases in batches and is told which were valid; see ``Generator``."""

    input_filter: InputFilter
    scales: Scales

    def propose(self, count: int) -> list[Case]:
        """Return up to ``count`` new cases."""
        ...

    def ladder(self, base: Sequence[Case]) -> list[Rung]:
        """Return cases that show how far each dimension goes."""
        ...

    def plant(self, cases: Iterable[Case]) -> None:
        """Propose these cases next."""
        ...

    def feedback(
        self, accepted: Sequence[Case], *, slow: Sequence[Case] = (), apart: Sequence[Case] = ()
    ) -> None:
        """Build on the accepted cases."""
        ...

    def doubt(self, case: Case) -> str | None:
        """Return why a case is doubtful (``InputFilter.doubt``), or None."""
        ...


class ArgumentForm(Protocol):
    """Translates between a task's arguments and the values that a generator mutates."""

    def values(self, arguments: Arguments) -> Arguments | None:
        """Return the values of arguments; None if they do not have this form."""
        ...

    def fit(self, values: Arguments) -> Arguments | None:
        """Return changed values made consistent with the form, or None."""
        ...

    def written(self, values: Arguments) -> Arguments:
        """Return the arguments that the values stand for."""
        ...


class AdaptedGenerator:
    """A ``Generator`` of the values of a form; cases come in and go out as arguments.

    A case that does not have the form is skipped.
    """

    def __init__(
        self,
        form: ArgumentForm,
        base: Sequence[Case],
        *,
        seeds: Sequence[Case] = (),
        **options: Any,
    ) -> None:
        self._form = form
        self.inner = Generator(
            self._values(base), seeds=self._values(seeds), fit=form.fit, **options
        )
        self.input_filter, self.scales = self.inner.input_filter, self.inner.scales

    def propose(self, count: int) -> list[Case]:
        """Return up to ``count`` new cases."""
        return list(map(self._written, self.inner.propose(count)))

    def ladder(self, base: Sequence[Case]) -> list[Rung]:
        """Return cases that show how far each dimension goes."""
        rungs = self.inner.ladder(self._values(base))
        return [replace(rung, case=self._written(rung.case)) for rung in rungs]

    def plant(self, cases: Iterable[Case]) -> None:
        """Propose these cases next."""
        self.inner.plant(self._values(cases))

    def feedback(
        self, accepted: Sequence[Case], *, slow: Sequence[Case] = (), apart: Sequence[Case] = ()
    ) -> None:
        """Build on the accepted cases."""
        values = self._values
        self.inner.feedback(values(accepted), slow=values(slow), apart=values(apart))

    def doubt(self, case: Case) -> str | None:
        """Return why the values of a case are doubtful, or None."""
        return next(map(self.inner.doubt, self._values([case])), None)

    def _values(self, cases: Iterable[Case]) -> list[Case]:
        pairs = ((case, self._form.values(case.arguments)) for case in cases)
        return [replace(case, arguments=values) for case, values in pairs if values is not None]

    def _written(self, case: Case) -> Case:
        return replace(case, arguments=self._form.written(case.arguments))
