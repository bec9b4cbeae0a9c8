"""The jobs: what each command does, resumable, and the same from Python."""
