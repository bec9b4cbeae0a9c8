"""tries: SIGKILL to itself, which looks like the verifier's own kill
sound: crash
"""
import os, signal

def add(a, b):
    os.kill(os.getpid(), signal.SIGKILL)
