"""tries: nothing: an honest program of another name
sound: error
"""
def plus(a, b):
    return a + b
