"""Any string "of '(' and ')'", the empty one included: it leaves no bracket open."""


def precondition(brackets):
    assert type(brackets) is str, "brackets must be a string"
    assert set(brackets) <= {"(", ")"}, 'brackets must be made of "(" and ")" only'
