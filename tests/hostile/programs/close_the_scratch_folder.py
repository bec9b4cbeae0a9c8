"""tries: take every right off the scratch folder itself, so that the runner cannot look into it
sound: pass
"""
import os

for act in (lambda: os.chmod("/tmp", 0), lambda: os.rename("/tmp", "/tmp2"), lambda: os.rmdir("/tmp")):
    try:
        act()
    except OSError:
        pass

def add(a, b):
    return a + b
