"""tries: nothing: a class whose construction returns the answer is callable like a function
sound: pass
"""
class add:
    def __new__(cls, a, b):
        return a + b
