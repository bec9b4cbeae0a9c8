"""problem: bag
tries: the same with tuples around the colliding integers
sound: fail|unrepresentable
"""
PRIME = 2 ** 61 - 1
BOMB = [(k * PRIME, 1) for k in range(1, 50_001)]

def bag(xs):
    return BOMB
