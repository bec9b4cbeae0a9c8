"""tries: send data out in a name lookup
sound: pass
"""
import socket

DONE = []
for name in ("localhost", "example.com", "data.example.com"):
    try:
        DONE.append(socket.getaddrinfo(name, 53, type=socket.SOCK_DGRAM))
    except OSError:
        pass

def add(a, b):
    return "BREACH" if any("example" in str(d) for d in DONE) or len(DONE) > 1 else a + b
