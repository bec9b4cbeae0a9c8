"""Targeting: what is known of programs that survived, put to use for further inputs.

A survivor (a mutant, a wrong sample) answers all inputs so far like the reference. Two things are
worth trying: the constants of its own text that the reference lacks, which mark where the two may
differ, and changes near those inputs that reach the code in question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalplus_lite.generate.domains.constants import Constants, from_source
from evalplus_lite.values.identity import key


@dataclass(frozen=True, slots=True)
class TargetClues:
    """Where to look: constants to try, and positions in the suite of inputs to build on."""

    constants: Constants
    parents: tuple[int, ...] = ()

    @classmethod
    def of(
        cls, survivors: Sequence[str], *, reference: str, parents: Sequence[int] = ()
    ) -> TargetClues:
        """Return the aim at programs that survived, given as sources.

        Their own constants come first, then those that the reference has as well. ``parents`` may
        name cases that reach the code where a survivor differs; without any, all cases serve.
        """
        shared = {key(value) for value in from_source(reference)}
        values = [value for source in survivors for value in from_source(source)]
        own = [value for value in values if key(value) not in shared]
        common = [value for value in values if key(value) in shared]
        return cls(Constants.of_values([*own, *common]), tuple(dict.fromkeys(parents)))
