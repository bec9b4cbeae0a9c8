"""tries: write nonsense wherever the runner notes its progress
sound: pass
"""
import sys

frame = sys._getframe()
while frame:
    for value in list(frame.f_locals.values()):
        page = getattr(value, "progress", None)
        if page is not None:
            for i in range(len(page)):
                for number in (2 ** 64 - 1, 255):
                    try:
                        page[i] = number
                        break
                    except (TypeError, ValueError):
                        pass
    frame = frame.f_back

def add(a, b):
    return a + b
