"""tries: a property in the place of a function
sound: error
"""
add = property(lambda self: 3)
