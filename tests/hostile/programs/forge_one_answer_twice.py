"""tries: send the same case again, so that four answers cover three cases
sound: crash
uses: channel
"""
def add(a, b):
    send(4 * frame(record(integer(3))))
    while True:
        pass
