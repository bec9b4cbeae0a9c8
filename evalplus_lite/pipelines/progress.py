"""How a job says how far it is, without knowing to whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Progress(Protocol):
    """Shows how far a job is."""

    def stage(self, name: str, total: int | None) -> None:
        """A stage begins, of ``total`` steps where that is known."""
        ...

    def advance(
        self, steps: int = 1, *, counts: Mapping[str, int] | None = None, known: bool = False
    ) -> None:
        """So many more steps of the stage are done: ``known`` if by an earlier run.

        ``counts`` says what came of all steps so far, such as verdicts.
        """
        ...

    def note(self, text: str) -> None:
        """Something that a person wants to know now."""
        ...


class Silent:
    """Shows nothing."""

    def stage(self, name: str, total: int | None) -> None:
        """Ignore."""

    def advance(
        self, steps: int = 1, *, counts: Mapping[str, int] | None = None, known: bool = False
    ) -> None:
        """Ignore."""

    def note(self, text: str) -> None:
        """Ignore."""
