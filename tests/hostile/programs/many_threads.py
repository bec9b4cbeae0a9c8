"""tries: start threads until none starts any more
sound: pass
"""
import threading

threading.stack_size(65536)
STOP = threading.Event()
COUNT = 0
try:
    while COUNT < 2000:
        threading.Thread(target=STOP.wait, daemon=True).start()
        COUNT += 1
except (RuntimeError, MemoryError):
    pass
STOP.set()

def add(a, b):
    return "BREACH" if COUNT > 1000 else a + b
