"""Any string: the prompt's own `is_palindrome` settles case, spaces and other alphabets."""


def precondition(string):
    assert type(string) is str, "string must be a string"
