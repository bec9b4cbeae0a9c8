"""tries: read from the result channel what the supervisor might still say
sound: pass
uses: channel
"""
SEEN = b""
for number in sockets():
    os.set_blocking(number, False)
    try:
        SEEN += os.read(number, 1 << 16)
    except OSError:
        pass
    os.set_blocking(number, True)

def add(a, b):
    return "BREACH" if SEEN else a + b
