"""What runs inside the sandbox: the worker, the child it forks for each program, the encoder.

This file's *text* is sent to a bare interpreter, so it imports the standard library only and
never anything of evalplus_lite. Nothing here is trusted by the supervisor: a program under test
shares a process with the child's half and may replace all of it, which lets it choose the values
that it answers with, and no more: expected values and verdicts live on the other side.

Control messages (supervisor to worker): ``C`` configure, ``L`` load inputs, ``R`` run (carries the
child's socket), ``K`` kill the child. Worker to supervisor: ``H`` hello, ``X`` the child has ended.
Frames (child to supervisor): see ``Reporter``.
"""

from __future__ import annotations

import ctypes
import gc
import marshal
import mmap
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
import types
from collections.abc import Callable, Sequence
from typing import Any

HEADER = struct.Struct("<cIII")  # kind, first case, cases, bytes that follow
RECORD = struct.Struct("<cI")  # kind, bytes that follow
MESSAGE = struct.Struct("<cI")  # kind, bytes that follow
FLUSH_SECONDS = 0.002
FLUSH_BYTES = 1 << 16
MAX_DEPTH = 200
TYPE_NAME = type.__dict__["__name__"].__get__  # a class's own name, whatever its metaclass says
SCALARS: frozenset[type] = frozenset({int, float, str, bool, type(None)})
SHORT = SCALARS - {str}


class NotPlain(Exception):
    """A value is no plain builtin value; the argument names its type."""


def encode(
    value: Any,
    dumps: Callable[[Any, int], bytes] = marshal.dumps,
    scalars: frozenset[type] = SCALARS,
    spare: int = 0,
) -> bytes:
    """Return the exact wire form of a plain value: marshal version 2, which has no references.

    Subclasses of plain types are reduced to the plain value underneath by the base type's own C
    methods, so that no override of theirs runs; anything else raises NotPlain. ``spare`` is
    how much deeper than ``MAX_DEPTH`` it may nest.
    """
    if type(value) not in scalars:
        try:
            data = dumps(value, 2)
        except (ValueError, TypeError, RecursionError):
            data = b"s"
        # marshal writes any object with a buffer (bytearray, array, ndarray) as if it were bytes.
        if b"s" not in data:
            return data
        value = plain(value, -spare)
    try:
        return dumps(value, 2)
    except ValueError:  # its word for a lack of memory, where the value is plain
        raise MemoryError from None


def plain(value: Any, depth: int) -> Any:
    """Return ``value`` rebuilt from exact builtin types, or raise NotPlain."""
    kind = type(value)
    if kind in SCALARS or kind is bytes or kind is complex:
        return value
    if depth > MAX_DEPTH:
        raise NotPlain(f"{kind.__name__} nested deeper than {MAX_DEPTH}")
    if issubclass(kind, (list, tuple)):
        base = list if issubclass(kind, list) else tuple
        items = [plain(item, depth + 1) for item in base.__getitem__(value, slice(None))]
        return items if base is list else tuple(items)
    if issubclass(kind, dict):
        pairs = dict.items(dict.copy(value))
        return {plain(k, depth + 1): plain(v, depth + 1) for k, v in pairs}
    if issubclass(kind, (set, frozenset)):
        items = [plain(item, depth + 1) for item in set.__or__(set(), value)]
        return set(items) if issubclass(kind, set) else frozenset(items)
    if issubclass(kind, int):
        return int.__add__(value, 0)
    if issubclass(kind, float):
        return float.__mul__(value, 1.0)
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, bytes):
        return bytes.__getitem__(value, slice(None))
    if issubclass(kind, complex):
        return complex(complex.real.__get__(value), complex.imag.__get__(value))
    generic: Any = getattr(sys.modules.get("numpy"), "generic", None)
    if isinstance(generic, type) and issubclass(kind, generic):
        item = generic.__dict__["item"](value)
        if not issubclass(type(item), generic):
            return plain(item, depth + 1)
    raise NotPlain(f"{kind.__module__}.{kind.__qualname__}")


def describe(error: BaseException, dumps: Callable[[Any, int], bytes] = marshal.dumps) -> bytes:
    """Return the wire form of (type name, message, line) of an exception; never raises."""
    try:
        message = str(error)
    except BaseException:
        message = "<the exception cannot be printed>"
    line = None
    try:
        if isinstance(error, SyntaxError) and error.filename == "<program>":
            line = error.lineno
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == "<program>":
                line = trace.tb_lineno
            trace = trace.tb_next
        message = str.__str__(message)[:2000].encode("utf-8", "replace").decode()
        return dumps((TYPE_NAME(type(error)), message, line), 2)
    except BaseException:
        return dumps(("Exception", "<the exception cannot be described>", None), 2)


class Reporter:
    """Writes the child's frames: ``L`` loaded, ``E`` failed to load, ``B`` a batch of answers.

    A batch holds one record a case: ``V`` value, ``E`` exception, ``U`` no plain value, ``M`` out
    of memory. It leaves when it is large or two milliseconds old, so a slow case is always the
    last of its batch; with ``timed`` the CPU seconds of each case follow the records (kind ``T``).
    ``progress[0]``, in memory shared with the supervisor, is the case now running: where the
    process dies, that tells which one it died of.
    """

    def __init__(self, channel: socket.socket, timed: bool, progress: memoryview[int]) -> None:
        self.channel, self.timed, self.progress = channel, timed, progress
        self.parts: list[bytes] = []
        self.times: list[float] = []

    def send(self, kind: bytes, first: int = 0, count: int = 0, payload: bytes = b"") -> None:
        self.channel.sendall(HEADER.pack(kind, first, count, len(payload)) + payload)

    def run(
        self,
        function: Callable[..., Any],
        cases: Sequence[Sequence[Any]],
        first: int,
        last: int,
        timed: bool,
    ) -> None:
        """Call ``function`` on each case and report; everything hot is a local name."""
        now, cpu, pack = time.perf_counter, time.process_time, RECORD.pack
        parts, times = self.parts, self.times
        put, dump, simple, progress = parts.append, marshal.dumps, SHORT, self.progress
        size, start, sent, begin = 0, now(), first, 0.0
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
                del error
            value = None
            if timed:
                times.append(cpu() - begin)
            put(pack(kind, len(data)))
            put(data)
            size += len(data)
            if size > FLUSH_BYTES or now() - start > FLUSH_SECONDS:
                self.flush(sent, index + 1 - sent)
                sent, size, start = index + 1, 0, now()
        if sent < last:
            self.flush(sent, last - sent)

    def flush(self, first: int, count: int) -> None:
        payload = b"".join(self.parts)
        if self.timed:
            payload += struct.pack(f"<{count}d", *self.times)
        self.parts.clear()
        self.times.clear()
        self.send(b"T" if self.timed else b"B", first, count, payload)


def receive(channel: socket.socket, count: int) -> bytes:
    """Return exactly ``count`` bytes; EOFError where the other side has gone."""
    data = bytearray()
    while len(data) < count:
        part = channel.recv(min(count - len(data), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def confine(job: dict[str, Any], settings: dict[str, Any]) -> None:
    """Take away from this process what the program must not have; there is no way back."""
    settings["libc"].prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
    if os.getppid() != settings["worker"]:
        os._exit(119)
    null = os.open("/dev/null", os.O_RDWR)  # one of its own: flags and owner are not the worker's
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)
    for name, value in job["rlimits"].items():
        limit = getattr(resource, name)
        hard = resource.getrlimit(limit)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (value, value))
    if settings["seccomp"]:
        code = bytearray(settings["seccomp"])
        for offset in settings["own_pid_offsets"]:
            struct.pack_into("<I", code, offset, os.getpid())
        buffer = (ctypes.c_char * len(code)).from_buffer(code)
        program = struct.pack("<HxxxxxxQ", len(code) // 8, ctypes.addressof(buffer))
        holder = ctypes.create_string_buffer(program)
        prctl = settings["libc"].prctl
        # PR_SET_NO_NEW_PRIVS, then PR_SET_SECCOMP with SECCOMP_MODE_FILTER
        if prctl(38, 1, 0, 0, 0) or prctl(22, 2, holder, 0, 0):
            os._exit(120)


def child(
    channel: socket.socket,
    job: dict[str, Any],
    settings: dict[str, Any],
    cases: Sequence[Sequence[Any]],
) -> None:
    """Load one program, call it on the cases, report; the process ends here."""
    (size,) = struct.unpack("<I", receive(channel, 4))
    request = marshal.loads(receive(channel, size))  # from the supervisor, before any program code
    if request["cases"] is not None:
        cases = request["cases"]
    reporter = Reporter(channel, job["timed"], settings["progress"])
    channel.sendall(b"P")  # the kernel tells the supervisor who sent this: our pid, out there
    confine(job, settings)
    module = types.ModuleType("program")
    module.__file__ = "<program>"
    sys.modules["program"] = module
    send, run = reporter.send, reporter.run
    # The module seeds itself anew in every fork. Bound to the hash seed, so that a reference that
    # draws answers otherwise when it is run under another one.
    sys.modules["random"].seed(int(os.environ["PYTHONHASHSEED"]))
    try:
        exec(compile(request["source"], "<program>", "exec", dont_inherit=True), module.__dict__)
        function = module.__dict__[request["entry_point"]]
    except MemoryError:
        send(b"M")
    except KeyError as error:
        trace = error.__traceback__
        missing = error.args == (request["entry_point"],) and trace and trace.tb_next is None
        name = f"the program does not define {request['entry_point']}"
        send(b"E", payload=describe(NameError(name) if missing else error))
    except BaseException as error:
        send(b"E", payload=describe(error))
    else:
        del request
        send(b"L")
        run(function, cases, job["first"], job["last"], job["timed"])
        channel.recv(1)  # stay until told to go: the supervisor still reads this process's clock


def start(
    channel: socket.socket,
    job: dict[str, Any],
    settings: dict[str, Any],
    cases: Sequence[Sequence[Any]],
    control: socket.socket,
) -> int:
    """Fork a child for one program and return its pid to the worker."""
    pid = os.fork()
    if pid:
        return pid
    try:
        control.close()
        child(channel, job, settings, cases)
        os._exit(0)
    finally:
        os._exit(121)


class Worker:
    """Holds a task's inputs, forks a child a program, kills it when told, says how it ended."""

    def __init__(self, control: socket.socket, progress: mmap.mmap) -> None:
        self.control, self.progress = control, progress
        self.cases: Sequence[Sequence[Any]] = ()
        self.settings: dict[str, Any] = {}
        self.untouched: int | None = None
        self.child: int | None = None
        self.alarm = -1

    def serve(self) -> None:
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        while True:
            for number, _ in poll.poll():
                if number == self.control.fileno():
                    self.obey(poll)
                elif self.child is not None:
                    self.bury(poll)

    def obey(self, poll: select.poll) -> None:
        data, handles, _, _ = socket.recv_fds(self.control, MESSAGE.size, 1)
        if not data:
            os._exit(0)
        data += receive(self.control, MESSAGE.size - len(data))
        kind, size = MESSAGE.unpack(data)
        body = receive(self.control, size) if size else b""
        if kind == b"L":
            self.cases = ()
            self.cases = marshal.loads(body)  # from the supervisor
            del body
            gc.freeze()
        elif kind == b"C":
            self.settings = marshal.loads(body)  # from the supervisor
            self.settings["libc"] = ctypes.CDLL(None)
            self.settings["worker"] = os.getpid()
            self.untouched = self.scratch_changed()
            self.settings["progress"] = memoryview(self.progress).cast("Q")
        elif kind == b"R":
            channel = socket.socket(fileno=handles[0])
            job = marshal.loads(body)  # from the supervisor
            self.progress[:] = bytes(len(self.progress))  # no word from one program to the next
            self.child = start(channel, job, self.settings, self.cases, self.control)
            channel.close()
            self.alarm = os.pidfd_open(self.child)
            poll.register(self.alarm, select.POLLIN)
        elif kind == b"K" and self.child is not None:
            os.kill(self.child, signal.SIGKILL)

    def scratch_changed(self) -> int | None:
        """Return when the scratch folder last changed: entries, mode, owner, times, attributes."""
        scratch = self.settings["scratch"]
        return os.stat(scratch).st_ctime_ns if scratch else None

    def bury(self, poll: select.poll) -> None:
        assert self.child is not None
        _, status, usage = os.wait4(self.child, 0)
        poll.unregister(self.alarm)
        os.close(self.alarm)
        self.child = None
        dirty = self.scratch_changed() != self.untouched
        seconds = usage.ru_utime + usage.ru_stime
        body = struct.pack("<idQ?", status, seconds, usage.ru_maxrss * 1024, dirty)
        self.control.sendall(MESSAGE.pack(b"X", len(body)) + body)


def main(control: socket.socket, page: int, preload: Sequence[str]) -> None:
    """Serve the supervisor until it goes away; ``page`` is the descriptor of the shared memory."""
    progress = mmap.mmap(page, 0)
    os.close(page)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    for name in preload:
        try:
            __import__(name)
        except ImportError:
            pass
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)
    gc.collect()
    gc.freeze()
    control.sendall(MESSAGE.pack(b"H", 0))
    Worker(control, progress).serve()
