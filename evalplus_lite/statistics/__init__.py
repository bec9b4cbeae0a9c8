"""Figures from verdicts: pass@k."""
