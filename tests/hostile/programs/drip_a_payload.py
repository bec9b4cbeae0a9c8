"""Drip a payload.

problem: add
tries: announce a megabyte and send it a byte at a time
sound: timeout
"""
import os, stat, struct, time

def add(a, b):
    sockets = []
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                sockets.append(number)
        except OSError:
            pass
    os.write(sockets[0], struct.pack("<cIII", b"B", 0, 1, 1 << 20))
    while True:
        os.write(sockets[0], b"V")
        time.sleep(0.02)
