"""tries: use no CPU time at all
sound: timeout
"""
import time

def add(a, b):
    time.sleep(3600)
