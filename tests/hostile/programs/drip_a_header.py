"""tries: send a byte of a frame now and then, for ever
sound: timeout
uses: channel
"""
COUNT = 0

def add(a, b):
    global COUNT
    while True:
        for number in sockets():
            COUNT += 1
            if COUNT <= 12:
                os.write(number, b"B")
        time.sleep(0.05)
