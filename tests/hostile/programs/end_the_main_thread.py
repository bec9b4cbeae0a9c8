"""tries: end the main thread alone and live on in another
sound: timeout|crash
"""
import ctypes, threading, time

def live():
    while True:
        time.sleep(1)

def add(a, b):
    threading.Thread(target=live).start()
    ctypes.CDLL(None).syscall(60, 0)
