"""tries: report an exception whose message holds terminal escapes, markup and half characters
sound: error
uses: channel
"""
def add(a, b):
    text = "\ud800\x1b[2J\x1b]0;owned\x07[bold]\r\n\u202e pass".encode("utf-8", "surrogatepass")
    name = b"\x1b[31mPassed"
    value = b"(\x03\x00\x00\x00u" + struct.pack("<I", len(name)) + name
    value += b"u" + struct.pack("<I", len(text)) + text + b"N"
    send(frame(record(value, b"E")))
    time.sleep(5)
