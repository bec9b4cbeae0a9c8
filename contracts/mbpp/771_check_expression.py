"""A string of brackets alone, one at least: the words give no answer for none, nor for others."""


def precondition(exp):
    assert type(exp) is str and exp, "exp must be a string that is not empty"
    assert set(exp) <= set("()[]{}"), "every character must be a bracket"
