"""problem: firstn
tries: a generator where a list is expected
sound: unrepresentable
"""
def firstn(n):
    yield from range(n)
