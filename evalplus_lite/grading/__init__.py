"""Whether a program is right: expected outputs, evaluator, verdicts, evidence behind them."""
