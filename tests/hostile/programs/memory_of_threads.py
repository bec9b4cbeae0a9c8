"""tries: allocations in many threads that only together exceed the limit
sound: memory|error|pass|timeout
"""
import threading

KEPT, FAILED = [], []

def hold():
    try:
        KEPT.append(b"x" * (64 << 20))
    except MemoryError:
        FAILED.append(1)

def add(a, b):
    threads = [threading.Thread(target=hold) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(KEPT) == 16:
        return "BREACH"
    raise MemoryError
