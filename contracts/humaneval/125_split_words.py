"""ASCII text whose items stand one separator apart: spaces if there is any space, else commas.

"Split on whitespace" and "split on commas" leave open whether outer or repeated separators make
empty items, and programs differ on whether tabs and newlines are looked for.
"""


def precondition(txt):
    assert type(txt) is str, "txt must be a string"
    assert txt.isascii(), "txt must be ASCII"
    assert all(ch == " " or not ch.isspace() for ch in txt), (
        "txt must have no whitespace but plain spaces"
    )
    separator = " " if " " in txt else ","
    assert txt == "" or "" not in txt.split(separator), (
        f"txt must have no leading, trailing or repeated {separator!r}"
    )
