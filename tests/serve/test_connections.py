"""Connections: what they wait for, and for how long."""

from __future__ import annotations

import asyncio
import socket

from evalplus_lite.serve.server import listening
from evalplus_lite.serve.settings import ServerSettings


def test_answers_are_sent_at_once() -> None:
    """Not when the client has acknowledged what was sent before (Nagle's algorithm)."""

    async def nodelay() -> int:
        found = asyncio.get_running_loop().create_future()

        def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            channel: socket.socket = writer.get_extra_info("socket")
            found.set_result(channel.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listening(ServerSettings(port=0)) as channel:
            async with await asyncio.start_server(accepted, sock=channel):
                with socket.create_connection(channel.getsockname()):
                    return int(await found)

    assert asyncio.run(nodelay()) == 1
