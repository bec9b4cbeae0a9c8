"""tries: have the supervisor read lengths beyond the page's end, and cases beyond all numbers
sound: fail|crash|timeout
"""
import gc

def add(a, b):
    pages = [x for x in gc.get_objects() if type(x).__name__ == "Reporter"]
    while True:
        for reporter in pages:
            reporter.page[16:] = b"\xff" * (len(reporter.page) - 16)
            reporter.progress[1] = 0
            reporter.progress[0] = 2**64 - 1
