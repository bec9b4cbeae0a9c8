"""tries: fill the scratch folder, memfd and shared memory
sound: pass
"""
import os

TOTAL = 0
for folder in ("/tmp", "/dev/shm", "/var/tmp", "/run", "/"):
    try:
        for n in range(200):
            with open(f"{folder}/fill{n}", "wb", buffering=0) as file:
                for _ in range(64):
                    TOTAL += file.write(bytes(1 << 20))
    except OSError:
        pass
try:
    handle = os.memfd_create("x")
    for _ in range(512):
        TOTAL += os.write(handle, bytes(1 << 20))
except OSError:
    pass

def add(a, b):
    return "BREACH" if TOTAL > 96 << 20 else a + b
