"""problem: plane
tries: an integer too long for a float, where a complex number is expected
sound: fail
"""
def plane(x):
    return 10 ** 400
