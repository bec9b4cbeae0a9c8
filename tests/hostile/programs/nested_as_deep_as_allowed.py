"""problem: checked
tries: a value as deep as the decoder allows, which the verifier must be able to encode again for
    the task's check
sound: fail|unrepresentable|error
"""
def checked(x):
    value = "s"
    for _ in range(199):
        value = [value]
    return value
