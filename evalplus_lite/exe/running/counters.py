"""What instrumented code reports to, inside the sandbox.

A part of the program that the sandbox runs, between ``conversion`` and ``harness``.
"""

# Runs in a bare interpreter, around values of any type, on whatever version is there.
# mypy: ignore-errors
# ruff: noqa: D102
# ruff: noqa: F821 - names of ``perturbation``, whose text stands before this one

import functools
import sys
import types

UNNAMED = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # no calls on newer versions


LONGEST_NUMBER = 1_000_000  # bits, of what a power or a shift may give within a budget
LONGEST_COPY = 10_000_000  # items of text or a collection repeated
LONG_NUMBER = 10_000  # bits: working with longer ones takes steps by their length


class Enough(BaseException):
    """The budget of steps is spent: a measure that is the same on every machine."""


class Counters:
    """What instrumented code reports to: one slot a kind of step, and the arms reached."""

    def __init__(self, names, budget):
        self.slots = dict.fromkeys(names, 0)
        self.most = budget or float("inf")
        self.declared = set()
        self.reached = set()
        self.open = {}  # calls by place whose arguments are being worked out; one may have raised
        self.clear()

    def clear(self):
        for name in self.slots:
            self.slots[name] = 0
        self.declared.clear()
        self.reached.clear()
        self.open.clear()
        self.spent = 0

    def add(self, name, value=None):
        self.slots[name] += 1
        self.spent += 1
        if self.spent >= self.most:
            raise Enough
        return value

    def tried(self, cases):
        for _ in range(cases):
            self.add("lines")

    def reach(self, arm):
        self.reached.add(arm)

    def decide(self, arm, value):
        truth = bool(value)  # once: what asks next asks the answer, not the value
        self.reached.add(arm + truth)
        return truth

    def call(self, function):
        self.slots["user_calls" if is_own(function) else "builtin_calls"] += 1
        self.slots["calls"] += 1
        return function

    def calling(self, place, function):
        self.open.setdefault(place, []).append(function)
        return function

    def called(self, place):
        self.call(self.open[place].pop())
        return {}

    def each(self, arm, items):
        return self._each(arm, iter(items))  # which may raise, here and now

    def _each(self, arm, items):
        count = 0
        for count, item in enumerate(items, 1):
            self.add("loop_iterations")
            if count == 2:
                self.reached.add(arm + 1)
            yield item
        if not count:
            self.reached.add(arm)

    def heads(self, arm, items):
        return self._heads(arm, iter(items))

    def _heads(self, arm, items):
        count = 0
        for count, item in enumerate(items, 1):
            if count == 2:
                self.reached.add(arm + 1)
            yield item
            self.add("lines")  # the loop comes back to its head
        if not count:
            self.reached.add(arm)

    def operated(self, name, result):
        self.spent += length_of(result)
        return self.add("container_operations" if is_container(result) else name, result)

    def grown(self, sign, base, by):
        """Return the right operand, unless the result is too long to be worked out in time.

        Machines differ in how long that takes; the lengths are the same on all.
        """
        if type(by) is int and self.most < float("inf") and is_long(sign, base, by):
            self.spent = self.most
            raise Enough
        return by

    def power(self, base, by):
        return base ** self.grown("**", base, by)

    def shift(self, base, by):
        return base << self.grown("<<", base, by)

    def product(self, one, other):
        self.grown("*", other, one)
        return one * self.grown("*", one, other)

    def onto(self, name, *operands):
        is_one = any(map(is_container, operands))
        self.spent += sum(map(length_of, operands))
        return self.add("container_operations" if is_one else name, operands[-1])

    def joined(self, *parts):
        return "".join(parts)

    def shown(self, value, conversion, spec):
        convert = {115: str, 114: repr, 97: ascii}.get(conversion)
        return format(value if convert is None else convert(value), spec)

    def declare(self, frame):
        """Count the variables of a frame that hold a value, each function's once."""
        code, held = frame.f_code, frame.f_locals
        place = code.co_name, code.co_firstlineno
        names = (name for name in (*code.co_varnames, *code.co_cellvars) if name in held)
        self.declared.update((*place, name) for name in names)
        self.slots["variables_declared"] = len(self.declared)


def is_long(sign, base, by):
    """Say whether a power, a shift or a copy is longer than any that a case should work with."""
    if sign == "*" and type(base) is int:
        return base.bit_length() + by.bit_length() > LONGEST_NUMBER
    if sign == "*":
        return type(base) in (str, bytes, list, tuple) and len(base) * by > LONGEST_COPY
    if type(base) is not int or base == 0:
        return False
    if sign == "<<":
        return base.bit_length() + by > LONGEST_NUMBER
    return abs(base) > 1 and base.bit_length() * by > LONGEST_NUMBER


def length_of(value):
    """Return how many steps more it takes to work with a long number: by its length."""
    return value.bit_length() // LONG_NUMBER if type(value) is int else 0


def is_container(value):
    """Say whether an operator on it is no arithmetic: text and collections have a length."""
    return hasattr(type(value), "__len__")


def is_own(function):
    """Say whether calling it runs the program's own code, perhaps cached, bound or partial."""
    for _ in range(8):
        if type(function) is functools.partial:
            function = function.func
        elif type(function) is types.MethodType:
            function = function.__func__
        elif type(function) is type(_cached):
            function = function.__wrapped__
    if not isinstance(function, (type, types.FunctionType)):
        function = type(function)
    return getattr(function, "__module__", None) == "inlined"


@functools.lru_cache
def _cached():
    pass


def count_library_lines(function, args, kwargs, count):
    """Call a function, counting lines in files other than its own, how deep its calls go, and the
    variables that they set."""
    depths = {}  # by frame: one that is gone leaves its place to the next

    def in_library(frame, event, argument):
        if event == "line":
            count.add("library_lines")
        return in_library

    def in_program(frame, event, argument):
        if event == "return":
            count.declare(frame)
        return in_program

    def trace(frame, event, argument):
        depth = depths.get(id(frame.f_back), 0)
        name = frame.f_code.co_filename
        if name == FILENAME and frame.f_code.co_name not in UNNAMED:
            depth += 1
            count.slots["call_depth"] = max(depth, count.slots["call_depth"])
            frame.f_trace_lines = False
        depths[id(frame)] = depth
        if name == FILENAME:
            return None if frame.f_code.co_name in UNNAMED else in_program
        return None if name == "<program>" else in_library

    sys.settrace(trace)
    try:
        return function(*args, **kwargs)
    finally:
        sys.settrace(None)
