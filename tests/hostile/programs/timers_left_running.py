"""tries: timers and alarms that go off after its answers
sound: pass
"""
import signal, threading

def late(*_):
    while True:
        pass

signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.5, 0.1)
timer = threading.Timer(0.5, late)
timer.daemon = True
timer.start()

def add(a, b):
    return a + b
