"""Lower-case letters a to z, or none: `encode_shift` returns nothing else."""

from string import ascii_lowercase


def precondition(s):
    assert type(s) is str, "s must be a string"
    assert all(char in ascii_lowercase for char in s), "s must be made of the letters a to z only"
