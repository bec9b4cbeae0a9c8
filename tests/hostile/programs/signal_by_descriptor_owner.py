"""tries: make the worker the owner of a descriptor, whose readiness then sends it SIGKILL
sound: pass
uses: breach
"""
import fcntl, socket

def act():
    one, two = socket.socketpair()
    fcntl.fcntl(one, fcntl.F_SETOWN, owner)
    fcntl.fcntl(one, 10, 9)  # F_SETSIG, SIGKILL
    fcntl.fcntl(one, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    two.send(b"x")

for owner in others(1, -1, -os.getpgrp()):
    attempt(act)
