"""A model's server that says what it is told to, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from typing import Self

PROGRAM = """
import socket, sys, threading

def size(stream):
    return int.from_bytes(stream.read(8), "little")

listener = socket.create_server(("127.0.0.1", 0))
sys.stdout.write(f"{listener.getsockname()[1]}\\n")
sys.stdout.flush()
answer = [b""]

def serve(connection):
    with connection:
        connection.settimeout(10)
        try:
            data = b""
            while b"\\r\\n\\r\\n" not in data:
                more = connection.recv(65536)
                if not more:
                    return
                data += more
            head, _, body = data.partition(b"\\r\\n\\r\\n")
            lines = head.lower().split(b"\\r\\n")
            length = [int(l.split(b":")[1]) for l in lines if l.startswith(b"content-length")]
            while length and len(body) < length[0]:
                more = connection.recv(65536)
                if not more:
                    return
                body += more
            connection.sendall(answer[0])
        except OSError:
            pass

def accept():
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()

threading.Thread(target=accept, daemon=True).start()
while True:
    head = sys.stdin.buffer.read(8)
    if len(head) < 8:
        break
    answer[0] = sys.stdin.buffer.read(int.from_bytes(head, "little"))
    sys.stdout.write("said\\n")
    sys.stdout.flush()
"""


class Server:
    """The server's process; a context manager."""

    def __enter__(self) -> Self:
        """Start it."""
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.url = f"http://127.0.0.1:{int(self._line())}/v1"
        return self

    def __exit__(self, *details: object) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()

    def says(self, data: bytes) -> None:
        """Have it send these bytes, head and body, to whoever asks from now on."""
        assert self._process.stdin is not None
        self._process.stdin.write(len(data).to_bytes(8, "little") + data)
        self._process.stdin.flush()
        self._line()

    def _line(self) -> bytes:
        assert self._process.stdout is not None
        return self._process.stdout.readline()
