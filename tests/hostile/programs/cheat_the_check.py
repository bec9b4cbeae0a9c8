"""problem: checked
tries: an answer made to trip the task's check: it must fail or be refused, never crash the
    verifier
sound: fail|unrepresentable|error
"""
VALUES = [True, float("nan"), 10 ** 400]

def checked(x):
    return VALUES.pop(0)
