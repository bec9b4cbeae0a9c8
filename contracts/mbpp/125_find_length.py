"""A binary string with a zero, as in the examples, which say that ones count against zeros only."""


def precondition(string):
    assert type(string) is str, "string must be a string"
    assert set(string) <= {"0", "1"}, "every character must be 0 or 1"
    assert "0" in string, "a character must be 0"
