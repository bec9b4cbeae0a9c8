"""problem: wide
tries: a dict whose keys all hash alike
sound: unrepresentable|fail|timeout
uses: channel
"""
VALUE = b"{" + b"".join(key + b"N" for key in colliding()) + b"0"

def wide(n):
    send(frame(record(VALUE)))
    time.sleep(5)
