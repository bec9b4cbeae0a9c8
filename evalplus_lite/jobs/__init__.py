"""The jobs: one resumable function for each command, callable from Python."""
