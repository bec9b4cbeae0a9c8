"""tries: send a value that nests a million deep, to overflow the decoder's stack
sound: unrepresentable|fail
uses: channel
"""
def add(a, b):
    send(frame(record(b"(\x01\x00\x00\x00" * 1_000_000 + b"N")))
    time.sleep(5)
