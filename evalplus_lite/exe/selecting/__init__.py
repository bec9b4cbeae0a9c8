"""Which functions are worth mining: annotated, self-contained, pure by their text."""
