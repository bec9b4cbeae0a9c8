"""tries: a returned object whose __del__ loops
sound: unrepresentable|timeout
"""
class Endless:
    def __del__(self):
        while True:
            pass

def add(a, b):
    return Endless()
