"""The form of input texts: stated by a grammar or inferred from examples, parsed and rendered."""
