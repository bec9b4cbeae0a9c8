"""problem: nankeys
tries: give one of two equal NaN keys, and a wrong key, where each NaN key has the same value
sound: fail
"""
def nankeys(n):
    return {float("nan"): n, "wrong": -1}
