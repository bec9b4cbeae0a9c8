"""Predictions: what a model is asked about a program, and how its answers are scored."""
