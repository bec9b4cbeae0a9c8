"""tries: numpy objects that compare in their own way: arrays of one element, masked, void, object
    scalars
sound: fail|unrepresentable
needs: numpy
"""
import numpy

class Yes:
    def __eq__(self, other): return True
    __hash__ = None

KINDS = [lambda s: numpy.array([s]), lambda s: numpy.ma.masked, lambda s: numpy.array(Yes(), dtype=object)]

def add(a, b):
    return KINDS.pop(0)(a + b)
