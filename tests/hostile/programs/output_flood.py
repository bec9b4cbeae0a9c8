"""tries: write without end to standard output and error
sound: timeout
"""
import os, sys

def add(a, b):
    while True:
        os.write(1, b"A" * 65536)
        sys.stderr.write("B" * 65536)
