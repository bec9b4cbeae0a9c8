"""tries: SystemExit(0), KeyboardInterrupt and GeneratorExit from within a call
sound: error
"""
KINDS = [SystemExit(0), KeyboardInterrupt(), GeneratorExit(), StopIteration(3)]

def add(a, b):
    raise KINDS.pop(0)
