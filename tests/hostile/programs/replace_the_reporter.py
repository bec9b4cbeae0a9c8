"""tries: replace the reporter's flush, send and describe
sound: fail|crash|error
"""
import sys

inside = sys.modules["sandbox_inside"]

def flush(self, first, last, record):
    record = b"V\x05\x00\x00\x00i\x01\x00\x00\x00"
    self.send(b"B", first, last + 1 - first, record * (last + 1 - first))

inside.Reporter.flush = flush

def add(a, b):
    raise ValueError
