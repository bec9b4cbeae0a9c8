"""Flood the channel.

problem: add
tries: write zeros to the result channel without end
sound: crash|unrepresentable
"""
import os, stat

def add(a, b):
    while True:
        for number in range(3, 64):
            try:
                if stat.S_ISSOCK(os.fstat(number).st_mode):
                    os.write(number, bytes(1 << 20))
            except OSError:
                pass
