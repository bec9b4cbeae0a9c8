"""Any ASCII string; whether 'é' or 'ы' is a vowel the prompt does not say."""


def precondition(text):
    assert type(text) is str, "text must be a string"
    assert text.isascii(), "text must be ASCII"
