"""tries: announce an answer of 4 GB
sound: unrepresentable|crash
uses: channel
"""
def add(a, b):
    number = next(sockets())
    os.write(number, struct.pack("<cIII", b"B", 0, 4, 0xFFFFFFFF) + b"A" * 4096)
    while True:
        pass
