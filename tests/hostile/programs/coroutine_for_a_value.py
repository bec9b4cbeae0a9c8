"""tries: a coroutine where a number is expected
sound: unrepresentable
"""
async def add(a, b):
    return a + b
