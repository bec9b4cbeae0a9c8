"""Any string whose letters are ASCII; whether 'é' or 'ы' is a vowel the prompt does not say."""


def precondition(text):
    assert type(text) is str, "text must be a string"
    assert all(char.isascii() or not char.isalpha() for char in text), (
        "every letter of text must be ASCII"
    )
