"""Two lists of integers "of equal length", possibly empty."""


def precondition(game, guess):
    for scores in (game, guess):
        assert type(scores) is list, "game and guess must be lists"
        assert all(type(x) is int for x in scores), (
            "every element of game and guess must be an integer"
        )
    assert len(game) == len(guess), "game and guess must be of equal length"
