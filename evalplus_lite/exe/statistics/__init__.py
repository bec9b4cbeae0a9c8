"""Facts about a program, by its text and by running it."""
