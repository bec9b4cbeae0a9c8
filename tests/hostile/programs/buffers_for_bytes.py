"""problem: blob
tries: bytearray, memoryview and array where bytes are expected
sound: unrepresentable
"""
import array

KINDS = [bytearray, memoryview, lambda b: array.array("B", b)]

def blob(n):
    return KINDS.pop(0)(bytes(n))
