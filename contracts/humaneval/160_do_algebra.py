"""The five operators and one more non-negative integers, by the prompt's "Note".

No operand after "//" is 0, which rules out every division by zero. Powers stay below 20000 bits and
operators at 200 or fewer, so that the expression can be written, parsed and computed.
"""


def precondition(operator, operand):
    assert type(operator) is list, "operator must be a list"
    assert type(operand) is list, "operand must be a list"
    assert all(type(op) is str and op in ("+", "-", "*", "//", "**") for op in operator), (
        "operators must be '+', '-', '*', '//' or '**'"
    )
    assert 1 <= len(operator) <= 200, "there must be 1 to 200 operators"
    assert len(operand) == len(operator) + 1, "there must be one more operands than operators"
    assert all(type(x) is int and x >= 0 for x in operand), "operands must be non-negative integers"
    assert all(x.bit_length() <= 10_000 for x in operand), "operands must be below 10000 bits"
    following = list(zip(operator, operand[1:], strict=True))
    assert ("//", 0) not in following, "no operand after '//' may be 0"
    exponent = 1  # the value of the run of powers to the right
    for op, base in reversed([("+", operand[0]), *following]):
        if base > 1:
            assert exponent * base.bit_length() <= 20_000, "powers must stay below 20000 bits"
        exponent = base**exponent if op == "**" else 1
