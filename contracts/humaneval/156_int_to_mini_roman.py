"""An integer within the prompt's "1 <= num <= 1000"."""


def precondition(number):
    assert type(number) is int, "number must be an integer"
    assert 1 <= number <= 1000, "number must be from 1 to 1000"
