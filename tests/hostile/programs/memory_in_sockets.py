"""tries: keep data in socket buffers, enlarged as far as they go
sound: pass
"""
import socket

TOTAL, KEPT = 0, []
try:
    while TOTAL < 1 << 30:
        pair = socket.socketpair()
        KEPT.append(pair)
        for one in pair:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 30)
            one.setblocking(False)
            try:
                while True:
                    TOTAL += one.send(bytes(1 << 16))
            except BlockingIOError:
                pass
except OSError:
    pass

def add(a, b):
    return "BREACH" if TOTAL > 64 << 20 else a + b
