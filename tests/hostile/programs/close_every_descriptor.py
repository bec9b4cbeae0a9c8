"""tries: close all descriptors, so that nobody hears of its failure
sound: fail|crash|timeout
"""
import os

def add(a, b):
    os.closerange(0, 1024)
    return 0
