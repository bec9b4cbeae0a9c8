"""Any two strings: the examples compare sets of characters, however often each occurs."""


def precondition(s0, s1):
    assert type(s0) is str and type(s1) is str, "s0 and s1 must be strings"
