"""tries: announce a megabyte and send it a byte at a time
sound: timeout
uses: channel
"""
def add(a, b):
    number = next(sockets())
    os.write(number, struct.pack("<cIII", b"B", 0, 1, 1 << 20))
    while True:
        os.write(number, b"V")
        time.sleep(0.02)
