"""tries: an array beyond the memory limit
sound: memory
needs: numpy
"""
import numpy

def add(a, b):
    return int(numpy.ones(1 << 30).sum())
