"""Words of letters and digits with plain spaces between: whether marks belong to words is open."""


def precondition(text):
    assert type(text) is str, "text must be a string"
    assert all(char.isalnum() or char == " " for char in text), (
        "every character must be a letter, a digit or a plain space"
    )
