"""Any list: "any python values" leaves nothing out, so bools are in too.

What is kept is "only integers". In words True is a truth value and no integer, as in all these
contracts; Python's isinstance(True, int) is a matter of how bool is built. The prompt's examples
sort values by their type and hold no bool. HumanEval+ reads it the same way.
"""


def precondition(values):
    assert type(values) is list, "values must be a list"


# The original asks isinstance(x, int), which keeps True and False among the integers.
def filter_integers(values):
    return [x for x in values if type(x) is int]
