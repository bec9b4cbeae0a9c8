"""Tables of operators: which to apply next, by weight and by what came of them."""

from __future__ import annotations

from collections.abc import Sequence

from evalplus_lite.generate.operators.registry import Operator


class Table:
    """The operators for one type at one slot, chosen by weight and by how often they succeed."""

    def __init__(self, operators: Sequence[Operator], weights: Sequence[float]) -> None:
        self.operators, self.weights = operators, weights
        self.applies = [each.apply for each in self.operators]
        self.tried = [0] * len(self.operators)
        self.worth = [0.0] * len(self.operators)
        self.cumulative: list[float] = []
        self.total = 0.0
        self.is_stale = True
        self.reweigh()

    def credit(self, index: int, worth: float) -> None:
        """Note one more result of the operator at the index, and its worth."""
        self.tried[index] += 1
        self.worth[index] += worth
        self.is_stale = True

    def reweigh(self) -> None:
        """Choose operators less often whose results were seldom worth keeping."""
        if not self.is_stale:
            return
        self.is_stale = False
        self.cumulative, self.total = [], 0.0
        for weight, tried, worth in zip(self.weights, self.tried, self.worth, strict=True):
            self.total += weight * (worth + 2) / (tried + 2)
            self.cumulative.append(self.total)


Step = tuple[Table, int]
"""An operator's application: its table and its index there."""
