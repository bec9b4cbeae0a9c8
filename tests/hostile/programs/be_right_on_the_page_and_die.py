"""tries: leave the right answers on the page that the supervisor sees, claim to be done, and die
sound: crash
"""
import marshal, os, struct, sys

def add(a, b):
    runner = sys._getframe(1).f_locals
    reporter, cases = runner["self"], runner["cases"]
    reporter.page.seek(16)
    for case in cases:
        data = marshal.dumps(case[0] + case[1], 2)
        reporter.page.write(struct.pack("<cI", b"V", len(data)) + data)
    reporter.progress[1] = 0
    reporter.progress[0] = len(cases)
    os._exit(0)
