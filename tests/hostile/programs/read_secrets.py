"""tries: find API keys and the user's name in environment variables and /proc
sound: pass
"""
import glob, os

SEEN = repr(dict(os.environ))
for place in ["/proc/self/environ", "/proc/1/environ", "/proc/%d/environ" % os.getppid(), *glob.glob("/proc/[0-9]*/environ"), "/root/.bashrc", "/etc/shadow", "/etc/passwd"]:
    try:
        SEEN += open(place, errors="replace").read()
    except OSError:
        pass

def add(a, b):
    return "BREACH" if "@SECRET@" in SEEN or "root:" in SEEN else a + b
