"""How much a statistic differs between the cases of one function."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev


def variation(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return each statistic's coefficient of variation over a function's cases.

    The population's standard deviation over the mean, to four decimals; 0 where the mean is 0.
    """
    found: dict[str, float] = {}
    for name in sorted({name for row in rows for name in row}):
        values = [float(row[name]) for row in rows if name in row]
        mean = fmean(values) if values else 0.0
        ratio = pstdev(values) / abs(mean) if mean else 0.0
        found[name] = round(ratio, 4) if math.isfinite(ratio) else 0.0
    return found
