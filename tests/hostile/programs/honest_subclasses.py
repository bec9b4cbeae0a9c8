"""problem: table
tries: nothing: OrderedDict, str and int subclasses that hold the right values
sound: pass
"""
import collections, enum

class Text(str):
    pass

class Number(enum.IntEnum):
    ONE = 1
    TWO = 2
    THREE = 3

def table(n):
    return collections.OrderedDict([(Number(n), Text(n))])
