"""problem: total
tries: change the list it was given, so that the comparison or the next case sees other inputs
sound: fail
"""
def total(xs):
    xs.clear()
    return sum(xs)
