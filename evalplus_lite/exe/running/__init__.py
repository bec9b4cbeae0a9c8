"""Runs of mined programs in an observed sandbox, and the proof that their answers are stable."""
