"""tries: report an exception that is a number, a bomb, or nothing
sound: crash
uses: channel
"""
def add(a, b):
    send(frame(record(integer(0), b"E")))
    time.sleep(5)
