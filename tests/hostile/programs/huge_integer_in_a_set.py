"""problem: strictset
tries: an integer too long to print, inside a set that is compared by type
sound: fail|unrepresentable
"""
def strictset(xs):
    return {1 << 20_000}
