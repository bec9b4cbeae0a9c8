"""tries: signal the worker, its group and everyone, by every call that sends signals
sound: pass
uses: breach
"""
import signal

SIGINFO = ctypes.create_string_buffer(128)
for pid in {os.getppid(), 1, 0, -1, -os.getpgrp(), -os.getppid()} - {os.getpid()}:
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGSEGV):
        attempt(lambda: os.kill(pid, number))
        calls((200, pid, number), (234, pid, pid, number), (129, pid, number, SIGINFO),
              (297, pid, pid, number, SIGINFO))
