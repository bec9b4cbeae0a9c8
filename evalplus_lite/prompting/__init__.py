"""What a model is asked for, and how its answer is read."""
