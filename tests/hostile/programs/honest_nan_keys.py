"""problem: nankeys
tries: nothing: two NaN keys in a dict are right if two are expected
sound: pass
"""
def nankeys(n):
    return {float("nan"): n, float("nan"): n}
