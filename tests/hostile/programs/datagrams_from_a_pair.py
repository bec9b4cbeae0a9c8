"""tries: a socket pair needs no socket(): send from one end to an address elsewhere
sound: pass
uses: breach
"""
import socket

for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    for family in (socket.AF_UNIX, socket.AF_INET):
        try:
            one, two = socket.socketpair(family, kind)
        except OSError:
            continue
        for address in ("\0@ABSTRACT@", "@CANARY@/socket", "/dev/log", "/run/systemd/journal/socket"):
            attempt(lambda: one.sendto(b"x", address), lambda: one.sendmsg([b"x"], [], 0, address),
                    lambda: one.connect(address), lambda: one.bind("\0planted"))
