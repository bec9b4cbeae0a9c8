"""How a program notes what is not refused: the text of "uses: breach"."""
import ctypes, os

libc = ctypes.CDLL(None, use_errno=True)
DONE = []

def attempt(*acts):
    for act in acts:
        try:
            act()
            DONE.append(act)
        except (OSError, ValueError):
            pass

def calls(*acts):
    for act in acts:
        if libc.syscall(*act) >= 0:
            DONE.append(act)

def others(*pids):
    return {pid for pid in (os.getppid(), *pids) if pid not in (0, os.getpid())}

def add(a, b):
    return "BREACH" if DONE else a + b
