"""problem: unique
tries: a set of 60,000 integers that all hash alike, which costs the decoder their square
sound: unrepresentable|fail|crash|memory|timeout
uses: channel
"""
def unique(xs):
    items = colliding()
    send(frame(record(b"<" + struct.pack("<I", len(items)) + b"".join(items))))
    time.sleep(5)
