"""A function with all that it needs, as one program."""
