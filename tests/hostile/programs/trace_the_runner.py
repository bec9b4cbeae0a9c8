"""tries: rewrite the runner's locals by tracing, so that fewer cases run
sound: fail|crash|error|timeout
"""
import ctypes, sys

frame = sys._getframe()
while frame.f_back:
    frame = frame.f_back
    for name in ("last", "first", "index"):
        if name in frame.f_locals:
            frame.f_locals[name] = 0
            try:
                ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), 0)
            except (AttributeError, SystemError):
                pass

def tracer(frame, event, arg):
    if frame.f_code.co_name == "run":
        frame.f_locals["last"] = 1
    return tracer

sys.settrace(tracer)

def add(a, b):
    frame = sys._getframe(1)
    frame.f_trace = tracer
    frame.f_locals["last"] = 1
    frame.f_locals["cases"] = []
    return 3
