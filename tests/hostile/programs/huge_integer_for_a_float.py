"""problem: mean
tries: an integer too long for a float, where a float is expected
sound: fail
"""
def mean(xs):
    return -(10 ** 400)
