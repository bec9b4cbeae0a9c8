"""tries: right answers while other threads burn the processor
sound: pass|timeout
"""
import threading

def burn():
    while True:
        pass

for _ in range(4):
    threading.Thread(target=burn).start()

def add(a, b):
    return a + b
