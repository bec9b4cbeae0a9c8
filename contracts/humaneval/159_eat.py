"""Three integers within the prompt's "Constrain": 0 to 1000 each."""


def precondition(number, need, remaining):
    for carrots in (number, need, remaining):
        assert type(carrots) is int, "number, need and remaining must be integers"
        assert 0 <= carrots <= 1000, "number, need and remaining must be from 0 to 1000"
