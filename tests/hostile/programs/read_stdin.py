"""tries: wait for input
sound: error
"""
def add(a, b):
    return int(input()) + b
