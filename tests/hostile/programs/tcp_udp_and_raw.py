"""tries: sockets of every kind, to the listener beside the verifier and elsewhere
sound: pass
"""
import socket

DONE = []
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, 16, 17, 38, 40):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try:
            one = socket.socket(family, kind)
            DONE.append((family, kind))
            one.settimeout(1)
            one.sendto(b"out", ("127.0.0.1", int("@PORT@")))
        except (OSError, TypeError, ValueError):
            pass

def add(a, b):
    return "BREACH" if DONE else a + b
