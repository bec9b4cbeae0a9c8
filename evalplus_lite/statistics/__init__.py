"""Figures from verdicts: pass@k, shares and their intervals."""
