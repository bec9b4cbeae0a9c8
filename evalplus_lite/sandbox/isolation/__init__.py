"""Isolation of a worker: the command that starts it, Landlock, and the system-call filter."""
