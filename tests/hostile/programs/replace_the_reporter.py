"""Replace the reporter.

problem: add
tries: replace the reporter's flush, send and describe
sound: fail|crash
"""
import sys

inside = sys.modules["sandbox_inside"]

def flush(self, first, count):
    record = b"V\x05\x00\x00\x00i\x01\x00\x00\x00"
    self.send(b"B", first, count, record * count)

inside.Reporter.flush = flush

def add(a, b):
    raise ValueError
