"""Immediate reaction to Ctrl-C, whatever the main thread waits for.

Python records a signal and raises KeyboardInterrupt between two steps of the main thread. A signal
just before that thread goes to sleep on a lock, or one that the kernel gives to another thread,
wakes nobody: it would be handled when the lock is free, perhaps minutes later. One that is raised
where no exception can propagate, as in a finalizer, is lost. So a thread receives every Ctrl-C
(signals are written to a socket as they come), and wakes the main thread until it reacts.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

WAKE = signal.SIGURG  # does nothing where it has no handler, so that one too many does no harm
LOST = bytes([0])  # not a signal
PAUSE = 0.05  # seconds between two tries


@contextlib.contextmanager
def prompt_interrupts() -> Iterator[None]:
    """Have Ctrl-C raise KeyboardInterrupt within about ``PAUSE`` seconds, as long as this is open.

    Does nothing outside the main thread, or where somebody else deals with Ctrl-C or ignores it.
    """
    is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if threading.current_thread() is not threading.main_thread() or not is_ours:
        yield
        return
    ear, bell = socket.socketpair()
    bell.setblocking(False)  # a signal must never wait
    watch = _Watch(ear, bell)
    former, hook = signal.signal(WAKE, watch.awake), sys.unraisablehook
    wakeup = signal.set_wakeup_fd(bell.fileno(), warn_on_full_buffer=False)
    sys.unraisablehook = watch.unraisable
    threading.Thread(target=watch.run, name="interrupts", daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(wakeup)
        sys.unraisablehook = hook
        signal.signal(WAKE, former)
        bell.close()  # which ends the thread


class _Watch:
    """The thread that receives signals, and its messages from the main thread."""

    def __init__(self, ear: socket.socket, bell: socket.socket) -> None:
        self._ear, self._bell, self._hook = ear, bell, sys.unraisablehook
        self._main = threading.get_ident()
        self._is_awake = False

    def run(self) -> None:
        """Wake the main thread after every Ctrl-C, and repeat one that was lost, to the end."""
        with self._ear as ear:
            while heard := ear.recv(64):
                if LOST[0] in heard:
                    time.sleep(PAUSE)  # or it would come before the finalizer is over
                    signal.pthread_kill(self._main, signal.SIGINT)  # and be heard here
                if signal.SIGINT in heard:
                    self._wake()

    def _wake(self) -> None:
        # The handler of a signal that came later has run: so has, or will at once, Ctrl-C's.
        self._is_awake = False
        while not self._is_awake and self._bell.fileno() >= 0:
            signal.pthread_kill(self._main, WAKE)
            time.sleep(PAUSE)

    def awake(self, number: int, frame: FrameType | None) -> None:
        """Take note that the main thread handles signals."""
        self._is_awake = True

    def unraisable(self, lost: UnraisableHookArgs) -> None:
        """Have a KeyboardInterrupt that could not be raised come again; show all else."""
        if issubclass(lost.exc_type, KeyboardInterrupt):
            with contextlib.suppress(OSError):
                self._bell.send(LOST)
        else:
            self._hook(lost)
