"""tries: an exception whose message is 50 MB
sound: error
"""
def add(a, b):
    raise ValueError("m" * (50 << 20))
