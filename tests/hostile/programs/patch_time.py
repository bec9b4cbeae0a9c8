"""tries: stop the clocks that the runner reads, then use more time than allowed
sound: timeout
"""
import time

time.perf_counter = time.process_time = time.monotonic = time.time = lambda: 0.0

def add(a, b):
    while True:
        pass
