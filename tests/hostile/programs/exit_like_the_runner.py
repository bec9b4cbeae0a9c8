"""tries: exit with the statuses that the runner uses for its own troubles
sound: crash
"""
import os

CODES = [121, 120, 119, 0]

def add(a, b):
    os._exit(CODES[[1, 3, -5, 10].index(a)])
