"""What proposes a task's cases, whatever these are: arguments of a call, or sequences of calls."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.scale import Rung, Scales
from evalplus_lite.types import Case


class Proposer(Protocol):
    """Proposes cases in batches, and is told which of them were valid: see ``Generator``."""

    input_filter: InputFilter
    scales: Scales

    def propose(self, count: int) -> list[Case]:
        """Return up to ``count`` new cases."""
        ...

    def propose_for(self, constants: Constants, count: int) -> list[Case]:
        """Return up to ``count`` new cases made of these constants."""
        ...

    def ladder(self, base: Sequence[Case]) -> list[Rung]:
        """Return cases that show how far each dimension goes."""
        ...

    def plant(self, cases: Iterable[Case]) -> None:
        """Propose these cases next."""
        ...

    def feedback(
        self,
        accepted: Sequence[Case],
        *,
        slow: Sequence[Case] = (),
        apart: Sequence[Case] = (),
        outputs: Sequence[Hashable] | None = None,
    ) -> None:
        """Have the accepted cases built on."""
        ...
