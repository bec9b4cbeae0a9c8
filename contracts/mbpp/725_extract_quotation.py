"""Text in one line in which double quotation marks come in pairs, around something."""


def precondition(text1):
    assert type(text1) is str, "text1 must be a string"
    assert text1.isprintable(), "every character must be printable"
    assert '""' not in text1, "there must be a value between quotation marks"
    assert text1.count('"') % 2 == 0, "quotation marks must come in pairs"
