"""tries: send frames and records of kinds that do not exist
sound: crash
uses: channel
"""
def add(a, b):
    send(frame(record(b"x", b"Q")))
