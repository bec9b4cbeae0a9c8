"""A thread-safe pool of supervisor processes, with one background thread."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import astuple
from pathlib import Path

from evalplus_lite.errors import InfrastructureError
from evalplus_lite.execution.affinity_queue import AffinityQueue
from evalplus_lite.execution.base import Row
from evalplus_lite.execution.channel import MessageReader, MessageWriter, decoded, packed
from evalplus_lite.execution.job import Job, Lost
from evalplus_lite.execution.supervisor import DEFINE, DONE, MOST_CALLS, WORK, revived
from evalplus_lite.sandbox import SandboxConfig, probe
from evalplus_lite.sandbox.isolation import landlock

# The parent's side of supervisor processes: starting them, and messages to and from one.

END_SECONDS = 5.0
"""Seconds for processes to end on request, after which they are killed."""
_BOOT = """import sys
sys.path.insert(0, sys.argv[1])
from evalplus_lite.execution.supervisor import main
main()
"""


class Launcher:
    """The process that forks supervisors.

    Use it only in the thread that created it, because the kernel ends its children with that
    thread.
    """

    def __init__(self, config: SandboxConfig, stage: int, preload: Sequence[str]) -> None:
        self.control, theirs = socket.socketpair()
        # The new process has only Python's own path, so pass the package's location.
        root = str(Path(__file__).resolve().parents[2])
        options = ["-P", *(["-B"] if sys.dont_write_bytecode else [])]
        try:
            with theirs:
                self.process = subprocess.Popen(
                    [sys.executable, *options, "-c", _BOOT, root],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    # The file of shared data keeps its descriptor number, which is sent below.
                    pass_fds=(stage,),
                    start_new_session=True,  # Ctrl-C reaches only the parent, which ends it
                )
            # All packages that the caller can import can be imported by the work.
            path = [os.path.abspath(place) for place in sys.path]
            self.control.sendall(
                packed([path, list(astuple(config)), stage, probe.known(), list(preload)])
            )
        except OSError as error:
            self.control.close()
            raise InfrastructureError(f"cannot start a process: {error.strerror}") from None
        self.reader = MessageReader(self.control)

    def fork(self) -> Supervised:
        """Request a new supervisor; raise OSError if the launcher is gone."""
        # Each supervisor has its own socket, and ends when that is closed.
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self.control, [b"F"], [theirs.fileno()])
        except BaseException:
            ours.close()
            raise
        return Supervised(ours)

    def end(self, *, now: bool) -> None:
        """Wait until it and all its supervisors have ended; with ``now``, kill them."""
        if not now:
            with contextlib.suppress(OSError):
                self.control.sendall(b"C")
        # If the socket is closed without a ``C``, the launcher kills its supervisors.
        self.control.close()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def detach(self) -> None:
        """Leave the parent's processes alone, in a forked child."""
        self.control.close()
        self.process.returncode = 0  # not this process's child, so do not wait for it


class Supervised:
    """The parent's side of a supervisor, with its unanswered items."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self.reader, self.writer = MessageReader(channel), MessageWriter(channel)
        self.in_flight: OrderedDict[int, Job] = OrderedDict()
        self.pid: int | None = None
        """Known after its first message."""
        self.is_watched = False
        """Whether the pool is waiting until more can be sent to it."""
        self._calls: OrderedDict[int, None] = OrderedDict()

    @property
    def depth(self) -> int:
        """The number of items that it may hold, by the call of the last one sent."""
        return next(reversed(self.in_flight.values())).call.depth if self.in_flight else 1

    def send(self, job: Job) -> None:
        """Send an item, and its call unless it is known there; raise OSError if it is gone."""
        self.in_flight[job.number] = job
        number = job.call.number
        if number not in self._calls:
            self._calls[number] = None
            if len(self._calls) > MOST_CALLS:  # as the supervisor does
                self._calls.popitem(last=False)
            call = job.call.call
            self.writer.send(packed((DEFINE, number, call.maker, call.settings, call.packages)))
        self._calls.move_to_end(number)
        self.writer.send(packed((WORK, number, job.number, job.payload)))

    def heard(self) -> tuple[list[Row], bool]:
        """Return its available answers, and whether it is gone."""
        messages, gone = self.reader.available()
        # The first message is the process id, after which it gets work.
        if self.pid is None and messages:
            self.pid = messages.pop(0)
        return messages, gone


TRIES = 3
"""Maximum number of supervisors that an item may end."""
START_TRIES, RETRY_SECONDS = 10, 0.1
"""Consecutive processes that may end at start, and how much longer to wait after each."""


class Workforce:
    """The workers for jobs, to which one background thread sends them. Thread-safe.

    Methods that begin with an underscore run in that thread. Others only call ``_wake`` and, with
    the lock held, ``_added``; ``_sent`` needs the lock, too.
    """

    def __init__(self) -> None:
        self.tier_known = threading.Event()
        self.lost = 0
        self._lock = threading.Lock()
        self._queue: AffinityQueue[Job] = AffinityQueue()
        self._closing = self._now = False
        self._thread = threading.Thread(target=self._run, name="supervisors", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:  # no more threads for this user
            raise InfrastructureError(f"supervisor processes do not start: {error}") from error

    def add(self, job: Job) -> bool:
        """Queue a job; return False if the workforce is closing."""
        with self._lock:
            if self._closing:
                return False
            self._queue.add(job, job.key)
            is_needed = self._added()
        if is_needed:
            self._wake()
        return True

    def close(self, *, now: bool) -> None:
        """Cancel waiting jobs, finish the others (with ``now``, fail them), and end all workers."""
        with self._lock:
            self._closing, self._now = True, self._now or now
            waiting = self._queue.clear()
        for job in waiting:
            if not job.future.cancel():  # it was tried before
                job.fail(InfrastructureError("the run was ended"))
        self._wake()
        self._thread.join()

    @property
    def pids(self) -> list[int]:
        """The process ids of supervisors on this machine."""
        return []

    def detach(self) -> None:
        """Leave the workers to the parent, in a forked child."""

    def _run(self) -> None:
        try:
            while not self._is_done():
                self._step()
        except BaseException as error:  # unexpected; fail all jobs so that nobody waits forever
            self._fail_all(self._unexpected(error))
        finally:
            with self._lock:
                self._closing = True
            self._fail_all(InfrastructureError("the run was ended"))
            # Callers waiting for the tier get the error of the first job instead.
            self.tier_known.set()
            self._end()

    def _is_done(self) -> bool:
        with self._lock:
            return self._closing and (self._now or not (self._queue.count or self._sent()))

    def _fail_all(self, error: BaseException) -> None:
        with self._lock:
            jobs = self._queue.clear() + self._sent(forget=True)
        for job in jobs:
            job.fail(error)

    def _retry(self, worker: Hashable, jobs: list[Job], most: int, problem: str) -> None:
        """Return a lost worker's jobs to the queue, except those with ``most`` tries."""
        with self._lock:
            self._queue.forget(worker)
            # Reversed, because each is put at the front, so that the queue keeps their order.
            for job in reversed(jobs):
                if job.tries < most:
                    self._queue.put_back(job, job.key)
        for job in jobs:
            if job.tries >= most:
                job.fail(Lost(f"{most} {problem}"))

    def _added(self) -> bool:
        """Return whether to wake the thread for a new job."""
        raise NotImplementedError

    def _wake(self) -> None:
        raise NotImplementedError

    def _step(self) -> None:
        """Start workers, send jobs, and handle answers; wait for the next event."""
        raise NotImplementedError

    def _sent(self, *, forget: bool = False) -> list[Job]:
        """Return the jobs that workers have; with ``forget``, ignore their answers."""
        raise NotImplementedError

    def _unexpected(self, error: BaseException) -> BaseException:
        return error

    def _end(self) -> None:
        """End all workers."""
        raise NotImplementedError


class WorkerPool(Workforce):
    """A thread-safe pool of supervisor processes. One background thread reads their messages.

    That thread also starts the launcher, which the kernel ends together with it.
    """

    def __init__(
        self, workers: int, config: SandboxConfig, stage: int, preload: Sequence[str]
    ) -> None:
        self.workers, self.config, self.stage, self.preload = workers, config, stage, preload
        self.places: list[Supervised] = []
        self.launcher: Launcher | None = None
        self._selector = selectors.DefaultSelector()
        self._waker, self._wakeups = socket.socketpair()
        self._waker.setblocking(False)
        self._selector.register(self._wakeups, selectors.EVENT_READ)
        self._failures = 0
        self._retry_at = 0.0  # 0: no start has failed since the last successful one
        super().__init__()

    def _added(self) -> bool:
        # Deal in the caller's thread, so that an idle worker starts at once. The pool's thread is
        # only woken if a socket was full, to send the rest.
        return self._deal()

    @property
    def pids(self) -> list[int]:
        """The process ids of started supervisors."""
        return [place.pid for place in self.places if place.pid is not None]

    def detach(self) -> None:
        """Close copies of descriptors, and leave the processes alone, in a forked child."""
        for place in self.places:
            place.channel.close()
        if self.launcher is not None:
            self.launcher.detach()
        for each in (self._selector, self._waker, self._wakeups):
            each.close()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError, OSError):  # it is already awake, or closed
            self._waker.send(b"!")

    def _step(self) -> None:
        # All starting and reading happens in this thread, so that sockets need no lock; other
        # threads only queue jobs, deal them, and wake it.
        self._start()
        self._poll()

    def _sent(self, *, forget: bool = False) -> list[Job]:
        jobs = [job for place in self.places for job in place.in_flight.values()]
        for place in self.places if forget else ():
            place.in_flight.clear()
        return jobs

    def _end(self) -> None:
        # Supervisors end with their sockets. The launcher waits for them, so it is ended last.
        places, self.places = self.places, []
        for place in places:
            place.channel.close()
        if self.launcher is not None:
            self.launcher.end(now=self._now)
        for each in (self._selector, self._waker, self._wakeups):
            each.close()

    def _start(self) -> None:
        """Start the launcher and missing supervisors, after the pause if the last start failed."""
        if time.monotonic() < self._retry_at:
            return
        self._retry_at = 0.0
        try:
            if self.launcher is None:
                self.launcher = Launcher(self.config, self.stage, self.preload)
                self._selector.register(self.launcher.control, selectors.EVENT_READ, self.launcher)
            # Supervisors start only after the launcher's report, so that none starts with a
            # sandbox that does not hold.
            while self.tier_known.is_set() and len(self.places) < self.workers:
                place = self.launcher.fork()
                self._selector.register(place.channel, selectors.EVENT_READ, place)
                with self._lock:
                    self.places.append(place)
        except (InfrastructureError, OSError) as error:
            self._failed_to_start(error)

    def _failed_to_start(self, error: Exception) -> None:
        if time.monotonic() < self._retry_at:
            return  # processes that fail together are one failure
        self._failures += 1
        # Without any process all jobs fail, but the pool keeps trying for later ones.
        if self._failures % START_TRIES == 0 and not self.pids:
            self.tier_known.set()
            self._fail_all(InfrastructureError(f"supervisor processes do not start: {error}"))
        self._retry_at = time.monotonic() + min(1.0, RETRY_SECONDS * self._failures)

    def _poll(self) -> None:
        # Nothing may happen until a process starts, so wait no longer than until the next attempt.
        pause = max(0.0, self._retry_at - time.monotonic()) if self._retry_at else None
        for key, _ in self._selector.select(pause):
            if key.data is None:
                self._wakeups.recv(1 << 12)
            elif key.data is self.launcher:
                self._read_launcher()
            elif key.data in self.places:
                self._read_supervisor(key.data)
        with self._lock:
            # Reading may have freed workers, and callers may have added jobs: deal once for both.
            self._deal()
            for place in self.places:
                # Watch a socket for room only while bytes are waiting, as it would report room all
                # the time.
                if place.writer.is_behind != place.is_watched:
                    place.is_watched = place.writer.is_behind
                    wanted = selectors.EVENT_WRITE if place.is_watched else 0
                    self._selector.modify(place.channel, selectors.EVENT_READ | wanted, place)

    def _read_launcher(self) -> None:
        assert self.launcher is not None
        messages, gone = self.launcher.reader.available()
        for reports in messages:
            # The launcher's findings about sandboxes are valid for this process, too.
            probe.learn(reports)
            if not any(tier == "namespaces" and held for tier, held, *_ in reports):
                landlock.hide_this_process()  # programs may have our uid in that tier
            self.tier_known.set()
        if gone:
            # Handle the launcher's messages first, as it may have reported before it ended.
            for place in list(self.places):  # they end with it
                self._lose(place)
            self._selector.unregister(self.launcher.control)
            self.launcher.end(now=True)
            self.launcher = None
            if not messages:
                self._failed_to_start(InfrastructureError("the launcher ended"))

    def _read_supervisor(self, place: Supervised) -> None:
        with contextlib.suppress(OSError), self._lock:  # if it is gone, reading detects it
            place.writer.flush()
        messages, gone = place.heard()
        done: list[tuple[Job, int, bytes]] = []
        with self._lock:
            for number, kind, seconds, data in messages:
                job = place.in_flight.pop(number, None)
                if job is not None:  # else it was cancelled meanwhile
                    job.took(seconds)
                    done.append((job, kind, data))
            # A successful start resets the count of failed ones.
            self._failures = self._failures if place.pid is None else 0
            if not gone:
                self._deal()  # first, as it may be waiting
        # Outside the lock, because a future's callbacks may submit further jobs.
        for job, kind, data in done:
            if kind == DONE:
                job.finish(decoded(data), len(data))
            else:
                job.fail(revived(decoded(data)))
        if gone:
            self._lose(place)
            if place.pid is None:
                self._failed_to_start(InfrastructureError("a supervisor ended as it started"))

    def _lose(self, place: Supervised) -> None:
        """Return a lost supervisor's unfinished items to the queue."""
        self._selector.unregister(place.channel)
        place.channel.close()
        self.lost += 1
        with self._lock:
            self.places.remove(place)
        jobs = list(place.in_flight.values())
        if jobs:
            jobs[0].tries += 1  # the others had not been started
        self._retry(place, jobs, TRIES, "processes ended while they worked on it")

    def _deal(self) -> bool:
        """Send items to workers with room, idle ones first; return whether a socket was full.

        Call it with the lock held.
        """
        # First one item for each idle worker, then items in advance.
        for most in (1, None):
            for place in self.places:
                while self._queue.count and place.pid is not None:
                    if len(place.in_flight) >= (most or place.depth) or place.writer.is_behind:
                        break
                    job = self._queue.take(place)
                    if job is not None and job.begin():
                        with contextlib.suppress(OSError):  # if it is gone, reading detects it
                            place.send(job)
        return any(place.writer.is_behind for place in self.places)
