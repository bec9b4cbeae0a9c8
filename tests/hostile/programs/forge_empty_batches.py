"""tries: send batches of no answers for ever, each of which might restart a clock
sound: crash
uses: channel
"""
def add(a, b):
    while True:
        send(frame(b"", 0, 0))
