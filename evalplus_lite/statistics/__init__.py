"""Statistics of verdicts: pass@k, shares, and confidence intervals."""
