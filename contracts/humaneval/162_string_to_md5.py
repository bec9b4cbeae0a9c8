"""Any ASCII string: the prompt names no encoding, and for ASCII the usual ones agree."""


def precondition(text):
    assert type(text) is str, "text must be a string"
    assert text.isascii(), "text must be ASCII"
