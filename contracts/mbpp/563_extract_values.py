"""Printable text in which double quotation marks come in pairs, and single ones not at all."""


def precondition(text):
    assert type(text) is str, "text must be a string"
    assert text.isprintable() and "'" not in text, (
        "every character must be printable and no single quotation mark"
    )
    assert '""' not in text, "there must be a value between quotation marks"
    assert text.count('"') % 2 == 0, "quotation marks must come in pairs"
