"""problem: firstn
tries: an array in the place of a list
sound: unrepresentable
"""
import array

def firstn(n):
    return array.array("l", range(n))
