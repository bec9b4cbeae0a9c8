"""What keeps a worker in: the command that starts it, Landlock, and the system-call filter."""
