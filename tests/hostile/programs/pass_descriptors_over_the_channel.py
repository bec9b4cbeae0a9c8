"""tries: send the supervisor descriptors (its own socket among them) to exhaust it or to keep the
    channel alive
sound: pass
uses: channel
"""
import socket

SENT = []
for number in sockets():
    try:
        channel = socket.socket(fileno=os.dup(number))
        socket.send_fds(channel, [b""], [number, 0, 1])
        socket.send_fds(channel, [b"x"], [number, 0, 1])
        SENT.append(number)
    except OSError:
        pass

def add(a, b):
    return "BREACH" if SENT else a + b
