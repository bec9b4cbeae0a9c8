"""Notes of the legend with one space between two; no notes at all give an empty list.

The prompt shows single spaces only; an empty piece between two spaces is no note of the legend.
"""


def precondition(music_string):
    assert type(music_string) is str, "music_string must be a string"
    if music_string:
        notes = music_string.split(" ")
        assert all(x in ("o", "o|", ".|") for x in notes), "every note must be 'o', 'o|' or '.|'"
