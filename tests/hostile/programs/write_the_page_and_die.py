"""tries: write answers to all cases on the page that the supervisor sees, claim the last case, die
sound: fail|crash
"""
import gc, os

def add(a, b):
    for reporter in [x for x in gc.get_objects() if type(x).__name__ == "Reporter"]:
        record = b"V\x05\x00\x00\x00i\x01\x00\x00\x00"
        reporter.page.seek(16)
        reporter.page.write(record * 1000)
        reporter.progress[1] = 0
        reporter.progress[0] = 10**6
    os._exit(0)
