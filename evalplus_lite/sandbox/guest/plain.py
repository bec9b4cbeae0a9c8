"""Runs a program inside the sandbox like ``python FILE``.

This file's *text* is the program that the sandbox loads, so it imports only the standard library.
The program to run is the argument of its function. The supervisor provides the standard streams.
The answer has the exit status and the requested files.
"""

# Runs in a bare interpreter.
# mypy: ignore-errors
# ruff: noqa: D103

import atexit
import builtins
import io
import linecache
import os
import sys
import threading
import traceback
import types

FOLDER = "/tmp"
NAME = "main.py"


def run(code, files, wanted, most, together):
    """Return [exit status, {path: bytes, or None if it is missing or too large}].

    A file may have ``most`` bytes, and all files ``together``. If files cannot be created, the
    result is a text with the reason.
    """
    try:
        place(files)
    except (OSError, ValueError) as error:
        return f"files cannot be written here: {getattr(error, 'strerror', None) or error}"
    status, contents = execute(code), {}
    for name in wanted:
        contents[name] = data = taken(name, min(most, together))
        together -= len(data or b"")
    return [status, contents]


def place(files):
    if files or os.access(FOLDER, os.W_OK):
        os.chdir(FOLDER)
    for name, data in files.items():
        path = os.path.join(FOLDER, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def taken(name, most):
    try:
        with open(os.path.join(FOLDER, name), "rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError):
        return None
    return None if len(data) > most else data


def execute(code):
    """Run the program's text as ``__main__``, and return its exit status."""
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    module.__file__ = NAME
    module.__builtins__ = builtins
    sys.argv = [NAME]
    sys.path.insert(0, FOLDER)
    builtins.exit = builtins.quit = sys.exit
    linecache.cache[NAME] = len(code), None, code.splitlines(True), NAME
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        raw = open(number, mode + "b", buffering=-1 if number < 2 else 0, closefd=False)
        errors = "surrogateescape" if number < 2 else "backslashreplace"
        stream = io.TextIOWrapper(
            raw, "utf-8", errors, line_buffering=number == 2, write_through=number == 2
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    status = body(module, code)
    try:
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
        atexit._run_exitfuncs()
    except BaseException:
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except (OSError, ValueError, AttributeError):
            status = status or 120  # an interpreter's status for lost output
    return status


def body(module, code):
    try:
        exec(compile(code, NAME, "exec", dont_inherit=True), module.__dict__)
        return 0
    except SystemExit as leaving:
        if leaving.code is None or isinstance(leaving.code, int):
            return (leaving.code or 0) & 0xFF
        print(leaving.code, file=sys.stderr)
        return 1
    except BaseException as error:
        # Remove the frames of this file.
        while error.__traceback__ is not None and (
            error.__traceback__.tb_frame.f_code.co_filename == __file__
        ):
            error.__traceback__ = error.__traceback__.tb_next
        if sys.excepthook is sys.__excepthook__:  # the default one would look for the file
            traceback.print_exception(error)
        else:
            sys.excepthook(type(error), error, error.__traceback__)
        return 1
