"""tries: sys.monitoring and sys.setprofile callbacks that raise in the runner
sound: pass|error|crash
"""
import sys

def profile(frame, event, arg):
    if event == "c_call" and frame.f_code.co_name == "run":
        raise SystemExit(0)

sys.setprofile(profile)

def add(a, b):
    return a + b
