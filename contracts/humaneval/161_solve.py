"""Any ASCII string: letters outside ASCII may lack case, or change length with it."""


def precondition(s):
    assert type(s) is str, "s must be a string"
    assert s.isascii(), "s must be ASCII"
