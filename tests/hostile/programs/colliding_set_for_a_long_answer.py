"""problem: wide
tries: the same where the right answer is large, so that a large set is plausible
sound: unrepresentable|fail|timeout
uses: channel
"""
ITEMS = colliding()

def wide(n):
    send(frame(record(b"<" + struct.pack("<I", len(ITEMS)) + b"".join(ITEMS))))
    time.sleep(5)
