"""The child process inside the sandbox, which runs one program to its last answer.

This file's *text* is sent to a bare interpreter, with those of ``encoding`` and ``worker``, so it
imports only the standard library and nothing from evalplus_lite. The supervisor trusts nothing
here: a program under test shares the process and may replace all of it, but can thereby only choose
its answers, because expected values and verdicts are on the other side. Frames (child to
supervisor): see ``Reporter``.
"""

from __future__ import annotations

import ctypes
import marshal
import mmap
import os
import resource
import socket
import struct
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the text of that module has run in this namespace
    from evalplus_lite.sandbox.guest.harness import Execution, bind
    from evalplus_lite.sandbox.guest.script import streams
    from evalplus_lite.values.encoding import SHORT, Arriving, NotPlain, arrived, describe, encode

HEADER = struct.Struct("<cIII")  # kind, first case, cases, bytes that follow
RECORD = struct.Struct("<cI")  # kind, bytes that follow
CLOCK = struct.Struct("<d")
MESSAGE = struct.Struct("<cI")  # kind, bytes that follow
FIRST_SECONDS = 0.0001
# The first batch is sent after FLUSH_SECONDS; each later one may take as long as all before it, up
# to a maximum. Most wrong programs fail at once, and answers cost less in batches.
FLUSH_SECONDS = 0.002
FLUSH_BYTES = 1 << 16
PAGE_BYTES = 1 << 17
# Bytes at the page's start: the current case, and the case of the first record that follows.
WORDS = 16


class Reporter:
    """Writes the child's frames: ``L`` loaded, ``E`` failed to load, ``B`` a batch of answers.

    A batch has one record per case: ``V`` value, ``E`` exception, ``U`` not a plain value, ``M``
    out of memory; with ``timed`` (kind ``T``) each record is followed by its case's CPU seconds;
    with ``own_clock`` (kind ``C``) the batch is followed by its CPU seconds. A batch is sent
    when it is large or two milliseconds old, so a slow case is always the last of its batch.
    Until then the records are in a memory page shared with the supervisor, after the current
    case (``progress[0]``) and the case of the first record (``progress[1]``). So the supervisor
    knows answers that wait for a slow case, and those that a dying process leaves.
    """

    def __init__(
        self, channel: socket.socket, timed: bool, own_clock: bool, page: mmap.mmap
    ) -> None:
        self.channel, self.page = channel, page
        self.own_clock = own_clock
        self.kind = b"T" if timed else b"C" if own_clock else b"B"
        self.used = 0.0
        self.progress = memoryview(page)[:WORDS].cast("Q")

    def send(self, kind: bytes, first: int = 0, count: int = 0, payload: bytes = b"") -> None:
        header = HEADER.pack(kind, first, count, len(payload))
        if len(payload) > FLUSH_BYTES:  # not copied once more
            self.channel.sendall(header)
            self.channel.sendall(payload)
        else:
            self.channel.sendall(header + payload)

    def run(
        self,
        function: Callable[..., Any],
        cases: Sequence[Sequence[Any]],
        first: int,
        last: int,
        timed: bool,
    ) -> None:
        """Call ``function`` on each case and report; uses local names for speed."""
        now, cpu, pack = time.perf_counter, time.process_time, RECORD.pack
        put, dump, simple, progress = self.page.write, marshal.dumps, SHORT, self.progress
        size, sent, begin, age, longest = 0, first, 0.0, FIRST_SECONDS, FLUSH_SECONDS
        start = now()
        self.used = cpu()
        self.begin(first)
        for index in range(first, last):
            progress[0] = index
            if timed:
                begin = cpu()
            try:
                value = function(*cases[index])
                if type(value) in simple:
                    data = dump(value, 2)
                else:
                    data = encode(value)
                kind = b"V"
            except NotPlain as error:
                kind, data = b"U", str(error)[:200].encode("utf-8", "replace")
            except MemoryError:
                value = None
                kind, data = b"M", b""
            except BaseException as error:
                kind, data = b"E", describe(error)
                del error  # and its traceback, which refers to the frames' values
            value = None  # freed here, so that its destructor runs in its own case
            record = pack(kind, len(data)) + data
            if timed:
                record += CLOCK.pack(cpu() - begin)
            size += len(record)
            if size > FLUSH_BYTES or now() - start > age:
                self.flush(sent, index, record)
                sent, size, start = index + 1, 0, now()
                age = min(2 * age, longest)
            else:
                put(record)
        if sent < last:
            self.flush(sent, last - 1, b"")

    def begin(self, first: int) -> None:
        self.page.seek(WORDS)
        self.progress[1] = first

    def flush(self, first: int, last: int, record: bytes) -> None:
        """Send the records on the page and a last one, up to that of case ``last``."""
        payload = self.page[WORDS : self.page.tell()] + record
        if self.own_clock:
            used = time.process_time()
            payload += CLOCK.pack(used - self.used)
            self.used = used
        self.send(self.kind, first, last + 1 - first, payload)
        self.begin(last + 1)


def receive(channel: socket.socket, count: int) -> bytes:
    """Return exactly ``count`` bytes; raise EOFError if the other side is closed."""
    data = bytearray()
    while len(data) < count:
        part = channel.recv(min(count - len(data), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def confine(
    job: dict[str, Any], settings: dict[str, Any], *, has_streams: bool, handles: list[int]
) -> None:
    """Remove everything that the program must not have, irreversibly."""
    prctl = settings["prctl"]
    prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL: not inherited by a fork
    if os.getppid() != settings["worker"]:  # the worker died before that call
        os._exit(119)
    # A separate open file, because flags set on the worker's would affect all other programs.
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)
    if has_streams:
        streams()
    for number, handle in enumerate(handles):
        os.dup2(handle, number)
        os.close(handle)
    for limit, value in job["rlimits"].items():
        bound(limit, value)
    # Last, because the filter forbids the calls above.
    guard = settings["filter"]
    if guard is not None:
        for offset in settings["own_pid_offsets"]:
            # The rule "signals to oneself only" names the pid, which is known only after the fork.
            struct.pack_into("<I", guard.code, offset, os.getpid())
        # PR_SET_NO_NEW_PRIVS, without which an unprivileged process may not set a filter; then
        # PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
        if prctl(38, 1, 0, 0, 0) or prctl(22, 2, guard.program, 0, 0):
            os._exit(120)


def bound(limit: int, value: int) -> None:
    """Lower one of this process's limits permanently."""
    hard = resource.getrlimit(limit)[1]  # requesting more than the hard limit is an error
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))


class Filter:
    """A system-call filter in the kernel's format, prepared before any fork."""

    def __init__(self, code: bytes) -> None:
        self.code = (ctypes.c_char * len(code)).from_buffer(bytearray(code))
        # struct sock_fprog: a count of 8-byte instructions, padding, a pointer to them. Keep both
        # buffers, as the kernel reads them when a child installs the filter.
        header = struct.pack("<HxxxxxxQ", len(code) // 8, ctypes.addressof(self.code))
        self.program = ctypes.create_string_buffer(header)


def child(
    channel: socket.socket,
    job: dict[str, Any],
    settings: dict[str, Any],
    cases: Sequence[Sequence[Any]],
) -> None:
    """Load a program, call it on the cases, report, and end the process."""
    (size,) = struct.unpack("<I", receive(channel, 4))
    sent = receive(channel, size)
    request = marshal.loads(sent)  # from the supervisor, before any program code
    if request["cases"] is not None:
        cases = arrived(sent, request["cases"])
    handles = socket.recv_fds(channel, 1, 3)[1] if request["handles"] else []
    del sent
    reporter = Reporter(channel, job["timed"], job["own_clock"], settings["page"])
    # The kernel adds the sender's pid in the supervisor's namespace, which is unknown inside.
    channel.sendall(b"P")
    confine(job, settings, has_streams=request["streams"], handles=handles)
    send, run = reporter.send, reporter.run
    # The module reseeds itself in every fork. Use the hash seed, so that a reference that draws
    # random numbers answers differently with another seed.
    sys.modules["random"].seed(int(os.environ["PYTHONHASHSEED"]))
    try:
        code = compile(request["source"], "<program>", "exec", dont_inherit=True)
        spec = request["harness"]
        if "classes" in spec and isinstance(cases, Arriving):  # a check builds values itself
            cases = cases.cases
        function = bind(Execution(code, spec), request["entry_point"], spec)
    except MemoryError:
        send(b"M")
    except BaseException as error:
        send(b"E", payload=describe(error))
    else:
        del request
        send(b"L")
        run(function, cases, job["first"], job["last"], job["timed"])
        channel.recv(1)  # stay until killed, as the supervisor still reads this process's clock
