"""Operators for int, float, complex, bool and None.

``step``, ``any`` and ``none`` are those of Table 1 (``operators.registry``).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evalplus_lite.generate.operators.registry import below, copying, either, operator, pick

if TYPE_CHECKING:
    from evalplus_lite.generate.engine.slots import Slot

LANDMARKS: tuple[int, ...] = (0, 1, -1, 2, 3, 10, 100)
"""Numbers at which programs often behave differently, whatever they compute."""

MAX_EXACT = 10.0**15
"""Magnitude from which floats are not nudged or rounded: neighbors are at least 0.125 apart."""

_STEP = 10
_DIGITS = 40
"""Limit on digits of numbers whose digits are edited."""

operator("int.step", int, (5, 6), (5, 4), weight=6)(lambda n, slot: either(slot, n + 1, n - 1))
operator("int.near", int, (20, 24), (20, 12), weight=4)(
    lambda n, slot: n + below(slot, 2 * _STEP + 1) - _STEP
)
operator("int.negate", int, (5, -5), weight=3)(lambda n, slot: -n)
operator("int.double", int, (5, 10))(lambda n, slot: 2 * n)
operator("int.halve", int, (11, 5), weight=1)(lambda n, slot: n // 2)
operator("int.landmark", int, (57, 0), (57, 1), (57, 100), weight=3)(
    lambda n, slot: pick(slot, LANDMARKS)
)


@operator("int.digits", int, (123, 13), (123, 1233), (123, 321), (100, 109), weight=3)
def int_digits(value: int, slot: Slot) -> int:
    """Drop, repeat or replace a decimal digit, or reverse all digits."""
    # Converting a long int to text and back takes quadratic time, and Python refuses beyond 4,300
    # digits.
    if abs(value) >= 10**_DIGITS:
        return value
    digits = str(abs(value))
    at, way = below(slot, len(digits)), below(slot, 4)
    if way == 0:
        digits = digits[:at] + digits[at + 1 :]
    elif way == 1:
        digits = digits[: at + 1] + digits[at:]
    elif way == 2:
        digits = digits[:at] + str(below(slot, 10)) + digits[at + 1 :]
    else:
        digits = digits[::-1]
    changed = int(digits or "0")
    return -changed if value < 0 else changed


copying("int.fragment", int, (5, 77), weight=3)
copying("int.constant", int, (5, 42), weight=3, family="constant")


@operator("int.shift", int, (5, 47), weight=1, family="constant")
def int_shift(value: int, slot: Slot) -> int:
    """Add or subtract a constant of the task's text."""
    constant: int | None = slot.constant(int)
    return value if constant is None else either(slot, value + constant, value - constant)


@operator("int.multiple", int, (5, 210), weight=1, family="constant")
def int_multiple(value: int, slot: Slot) -> int:
    """Replace it by a multiple of a constant of the task's text."""
    constant: int | None = slot.constant(int)
    # Multiples of large constants are large numbers, which are the challenges' purpose.
    if constant is None or abs(constant) > 10**6:
        return value
    return constant * (value if abs(value) <= 1000 else below(slot, 10))


operator("float.step", float, (0.5, 1.5), (0.5, -0.5), weight=6)(
    lambda x, slot: either(slot, x + 1.0, x - 1.0)
)


@operator("float.nudge", float, (2.0, 2.1), (2.0, 1.5), weight=4)
def float_nudge(value: float, slot: Slot) -> float:
    """Add or subtract a fraction with few decimals."""
    if not abs(value) < MAX_EXACT:
        return value
    nudge = pick(slot, (0.5, 0.25, 0.1, 0.05, 0.01, 0.001))
    return float(round(either(slot, value + nudge, value - nudge), 6))


operator("float.negate", float, (0.5, -0.5), weight=3)(lambda x, slot: -x)
operator("float.double", float, (0.5, 1.0))(lambda x, slot: 2.0 * x)
operator("float.halve", float, (0.5, 0.25))(lambda x, slot: x / 2.0)
operator("float.scale", float, (2.0, 20.0), (2.0, 0.2), weight=1)(
    lambda x, slot: either(slot, x * 10.0, x / 10.0)
)


@operator("float.whole", float, (2.3, 2.0), (2.3, 3.0), (2.3, 2.5), weight=3)
def float_whole(value: float, slot: Slot) -> float:
    """Replace it by an adjacent integer, or the half between, where rounding changes."""
    if not abs(value) < MAX_EXACT:
        return value
    return math.floor(value) + float(pick(slot, (0.0, 1.0, 0.5)))


operator("float.landmark", float, (5.7, 0.0), (5.7, 1.0), weight=3)(
    lambda x, slot: float(pick(slot, LANDMARKS))
)
copying("float.fragment", float, (0.5, 7.7), weight=3)
copying("float.constant", float, (0.5, 4.2), weight=3, family="constant")

operator("bool.any", bool, (True, False), (True, True))(lambda b, slot: slot.random() < 0.5)
operator("none.none", type(None), (None, None))(lambda none, slot: None)


@operator("complex.part", complex, (1 + 2j, 2 + 2j), (1 + 2j, 1 + 1j), weight=4)
def complex_part(value: complex, slot: Slot) -> complex:
    """Add or subtract one in one part."""
    step = either(slot, 1.0, -1.0)
    parts = either(slot, (value.real + step, value.imag), (value.real, value.imag + step))
    return complex(*parts)


@operator("complex.turn", complex, (1 + 2j, 1 - 2j), (1 + 2j, 2 + 1j), (1 + 2j, -1 - 2j))
def complex_turn(value: complex, slot: Slot) -> complex:
    """Mirror it: the conjugate, the negative, or with its parts exchanged."""
    real, imaginary = value.real, value.imag
    turned = (complex(real, -imaginary), complex(imaginary, real), complex(-real, -imaginary))
    return complex(pick(slot, turned))


# Project it onto an axis, or return zero.
operator("complex.axis", complex, (1 + 2j, 1 + 0j), (1 + 2j, 2j), (1 + 2j, 0j))(
    lambda z, slot: pick(slot, (complex(z.real, 0.0), complex(0.0, z.imag), 0j))
)
operator("complex.scale", complex, (1 + 2j, 2 + 4j), (1 + 2j, 0.5 + 1j))(
    lambda z, slot: z * either(slot, 2.0, 0.5)
)
copying("complex.fragment", complex, (1 + 2j, 7 + 7j))
