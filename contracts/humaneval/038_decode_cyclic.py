"""Any string: `encode_cyclic` only moves characters, so each is the code of exactly one other."""


def precondition(s):
    assert type(s) is str, "s must be a string"
