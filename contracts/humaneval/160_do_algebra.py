"""The five operators and one more non-negative integers, by the prompt's "Note".

No operand after "//" is 0, which rules out every division by zero. Sizes are bounded so that
the expression can be written, parsed and computed in a moment.
"""


def precondition(operator, operand):
    assert type(operator) is list, "operator must be a list"
    assert type(operand) is list, "operand must be a list"
    assert all(type(op) is str and op in ("+", "-", "*", "//", "**") for op in operator), (
        "every element of operator must be '+', '-', '*', '//' or '**'"
    )
    assert 1 <= len(operator) <= 100, "operator must have 1 to 100 elements"
    assert len(operand) == len(operator) + 1, "operand must have one element more than operator"
    assert all(type(x) is int and x >= 0 for x in operand), (
        "every element of operand must be a non-negative integer"
    )
    assert all(x.bit_length() <= 1_000 for x in operand), (
        "every element of operand must be at most 1000 bits long"
    )
    following = list(zip(operator, operand[1:], strict=True))
    assert ("//", 0) not in following, "every operand after '//' must be positive"
    exponent = 1  # the value of the run of powers to the right
    for op, base in reversed([("+", operand[0]), *following]):
        if base > 1:
            assert exponent * base.bit_length() <= 20_000, (
                "every power must be at most 20000 bits long"
            )
        exponent = base**exponent if op == "**" else 1
