"""Mined programs in the sandbox, their environment watched, and the proof that they hold."""
