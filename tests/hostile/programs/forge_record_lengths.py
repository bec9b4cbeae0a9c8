"""tries: a record that claims more bytes than its batch holds
sound: crash
uses: channel
"""
def add(a, b):
    send(frame(struct.pack("<cI", b"V", 0xFFFFFFF0) + integer(3)))
