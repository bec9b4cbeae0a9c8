"""Words of letters and digits with a single plain space between, and a length."""


def precondition(test_str, K):
    assert type(test_str) is str, "test_str must be a string"
    assert all(char.isalnum() or char == " " for char in test_str), (
        "every character must be a letter, a digit or a plain space"
    )
    assert test_str == " ".join(test_str.split()), (
        "there must be one space between words, and no other"
    )
    assert type(K) is int and K >= 0, "K must be a non-negative integer"
