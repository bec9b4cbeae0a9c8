"""problem: checked
tries: a depth that grows with each call, to meet a limit that encoder and decoder count
    differently
sound: fail|unrepresentable|error
"""
DEPTH = [185]

def checked(x):
    DEPTH[0] += 1
    value = "s"
    for _ in range(DEPTH[0]):
        value = (value, "s")
    return value
