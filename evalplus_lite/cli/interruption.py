"""Prompt reaction to Ctrl-C, whatever the main thread is waiting for.

Python records a signal and raises KeyboardInterrupt between two steps of the main thread. A signal
that arrives just before that thread blocks on a lock, or in another thread, does not wake it: it
would be handled when the lock is free, perhaps minutes later. An exception raised where it cannot
propagate, such as in a finalizer, is lost. So a thread receives every Ctrl-C (Python writes signals
to a socket), and wakes the main thread until it reacts.
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

WAKE = signal.SIGURG  # ignored by default, so that a superfluous one is harmless
LOST = bytes([0])  # not a signal
PAUSE = 0.05  # seconds between attempts


@contextlib.contextmanager
def prompt_interrupts() -> Iterator[None]:
    """Make Ctrl-C raise KeyboardInterrupt within about ``PAUSE`` seconds inside the context.

    Does nothing outside the main thread, or if other code handles or ignores Ctrl-C.
    """
    is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if threading.current_thread() is not threading.main_thread() or not is_ours:
        yield
        return
    ear, bell = socket.socketpair()
    bell.setblocking(False)  # a signal must never block
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
        bell.close()  # ends the thread


class _Watch:
    """The thread that receives signals, and its messages from the main thread."""

    def __init__(self, ear: socket.socket, bell: socket.socket) -> None:
        self._ear, self._bell, self._hook = ear, bell, sys.unraisablehook
        self._main = threading.get_ident()
        self._is_awake = False

    def run(self) -> None:
        """Wake the main thread after every Ctrl-C, and repeat lost ones, until the end."""
        with self._ear as ear:
            while heard := ear.recv(64):
                if LOST[0] in heard:
                    time.sleep(PAUSE)  # or it would arrive before the finalizer ends
                    signal.pthread_kill(self._main, signal.SIGINT)  # received here again
                if signal.SIGINT in heard:
                    self._wake()

    def _wake(self) -> None:
        # The handler of a later signal has run, so Ctrl-C's has run or will run at once.
        self._is_awake = False
        while not self._is_awake and self._bell.fileno() >= 0:
            signal.pthread_kill(self._main, WAKE)
            time.sleep(PAUSE)

    def awake(self, number: int, frame: FrameType | None) -> None:
        """Record that the main thread handles signals."""
        self._is_awake = True

    def unraisable(self, lost: UnraisableHookArgs) -> None:
        """Repeat a KeyboardInterrupt that could not be raised; show other exceptions."""
        if issubclass(lost.exc_type, KeyboardInterrupt):
            with contextlib.suppress(OSError):
                self._bell.send(LOST)
        else:
            self._hook(lost)
