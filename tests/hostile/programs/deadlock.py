"""tries: wait for a lock that it holds, with every signal blocked
sound: timeout
"""
import signal, threading

def add(a, b):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
