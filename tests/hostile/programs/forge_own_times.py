"""tries: send a timed batch where none was asked for
sound: crash
uses: channel
"""
def add(a, b):
    send(frame(record(integer(a + b)) + struct.pack("<d", -1e9), kind=b"T"))
