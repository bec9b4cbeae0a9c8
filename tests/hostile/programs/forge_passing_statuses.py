"""tries: write what other verifiers take for success on every descriptor, then exit with 0
sound: crash|unrepresentable
"""
import os

for number in range(64):
    try:
        os.write(number, b'\npass\nOK\n{"status": "pass", "passed": true, "result": "passed"}\n' * 8)
    except OSError:
        pass
os._exit(0)
