"""A list of grade points from 0.0 to 4.0, the ends of the table; it may be empty.

A point on a threshold is settled: the table says ">", and the examples give 'C-' for 1.7.
"""


def precondition(grades):
    assert type(grades) is list, "grades must be a list"
    for gpa in grades:
        assert type(gpa) in (int, float), "every element of grades must be a number"
        assert 0 <= gpa <= 4, "every element of grades must be from 0.0 to 4.0"
