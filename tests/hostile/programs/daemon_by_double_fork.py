"""tries: leave a process behind that writes a file later
sound: error|pass
"""
import os, time

if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    time.sleep(3)
    open("@CANARY@/survived", "w").write("x")
    os._exit(0)

def add(a, b):
    return a + b
