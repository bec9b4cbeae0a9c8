"""tries: a list that contains itself
sound: unrepresentable
"""
def add(a, b):
    value = [a]
    value.append(value)
    return value
