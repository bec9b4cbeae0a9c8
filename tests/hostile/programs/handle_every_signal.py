"""tries: handlers for every signal, and a loop that swallows all exceptions
sound: timeout
"""
import signal

for number in range(1, 65):
    try:
        signal.signal(number, lambda *a: None)
    except (OSError, ValueError):
        pass

def add(a, b):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
