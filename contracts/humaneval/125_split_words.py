"""A string whose items stand one separator apart: spaces if there is any space, else commas.

"Split on whitespace" and "split on commas" leave open whether outer or repeated separators make
empty items, and programs differ on whether tabs and newlines are looked for. Where neither is there
letters are counted, and those outside ASCII have no place "in the alphabet".
"""


def precondition(txt):
    assert type(txt) is str, "txt must be a string"
    assert all(char == " " or not char.isspace() for char in txt), (
        "txt must have no whitespace other than plain spaces"
    )
    if " " in txt or "," in txt:
        items = txt.split(" " if " " in txt else ",")
        assert "" not in items, "txt must have no leading, trailing or repeated separators"
    else:
        assert all(char.isascii() or not char.isalpha() for char in txt), (
            "every letter of txt must be ASCII where letters are counted"
        )
