"""An ASCII string on which every reading of "letters" gives one answer.

The prompt says "every 3 consecutive letters": it leaves open whether "a" and "A" are distinct
and whether a digit, a space or a mark is a letter, breaks a run of letters, or is passed over.
"""

import re


def precondition(s):
    assert type(s) is str and s.isascii(), "s must be a string of ASCII characters"
    if len(s) >= 3:
        runs = re.findall("[A-Za-z]+", s)
        readings = {
            _threes_are_distinct(s),
            _threes_are_distinct(s.lower()),
            _threes_are_distinct("".join(runs)),
            all(_threes_are_distinct(run) for run in runs),
        }
        assert len(readings) == 1, (
            "the answer must be the same whatever counts as a distinct letter"
        )


def _threes_are_distinct(text):
    return all(len(set(text[i : i + 3])) == 3 for i in range(len(text) - 2))
