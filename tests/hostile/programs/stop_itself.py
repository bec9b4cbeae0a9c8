"""tries: SIGSTOP to itself: neither running nor gone
sound: timeout
"""
import os, signal

def add(a, b):
    os.kill(os.getpid(), signal.SIGSTOP)
