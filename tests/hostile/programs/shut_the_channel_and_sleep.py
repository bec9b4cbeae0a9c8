"""Shut the channel and sleep.

problem: add
tries: shut the result channel down and live on
sound: crash|timeout
"""
import os, socket, stat, time

def add(a, b):
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                socket.socket(fileno=os.dup(number)).shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
    time.sleep(60)
