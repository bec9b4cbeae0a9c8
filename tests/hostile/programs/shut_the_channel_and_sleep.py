"""tries: shut the result channel down and live on
sound: crash|timeout
uses: channel
"""
import socket

def add(a, b):
    for number in sockets():
        socket.socket(fileno=os.dup(number)).shutdown(socket.SHUT_RDWR)
    time.sleep(60)
