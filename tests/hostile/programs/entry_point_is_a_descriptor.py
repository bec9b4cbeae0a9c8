"""Entry point is a descriptor.

problem: add
tries: a property in the place of a function
sound: error
"""
add = property(lambda self: 3)
