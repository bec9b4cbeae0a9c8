"""Datagrams from a pair.

problem: add
tries: a socket pair needs no socket(): send from one end to an address elsewhere
sound: pass
"""
import socket

DONE = []
for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    for family in (socket.AF_UNIX, socket.AF_INET):
        try:
            one, two = socket.socketpair(family, kind)
        except OSError:
            continue
        for address in ("\0@ABSTRACT@", "@CANARY@/socket", "/dev/log", "/run/systemd/journal/socket"):
            for act in (lambda: one.sendto(b"x", address), lambda: one.sendmsg([b"x"], [], 0, address), lambda: one.connect(address), lambda: one.bind("\0planted")):
                try:
                    act()
                    DONE.append(address)
                except OSError:
                    pass

def add(a, b):
    return "BREACH" if DONE else a + b
