"""tries: nothing: correct code that computes with numpy and returns its scalars
sound: pass
needs: numpy
"""
import numpy

def add(a, b):
    return numpy.int64(numpy.array([a, b]).sum())
