"""tries: answer the last case first
sound: crash
uses: channel
"""
def add(a, b):
    send(frame(record(integer(31)), 3))
