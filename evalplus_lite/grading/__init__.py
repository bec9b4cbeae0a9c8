"""The judgment of programs: expected outputs, evaluator, verdicts, evidence behind them."""
