"""Judging of programs: expected outputs, evaluator, verdicts, and the evidence behind them."""
