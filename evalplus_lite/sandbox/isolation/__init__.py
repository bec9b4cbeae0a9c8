"""Isolation of a worker: its command, Landlock, and the system-call filter."""
