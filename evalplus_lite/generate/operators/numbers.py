"""Operators for int, float, complex, bool and None."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evalplus_lite.generate.operators.registry import (
    Family,
    below,
    constants,
    fragments,
    operator,
    pick,
)

if TYPE_CHECKING:
    from evalplus_lite.generate.engine.slots import Slot

LANDMARKS: tuple[int, ...] = (0, 1, -1, 2, 3, 10, 100)
"""Numbers at which programs often behave differently, whatever they compute."""

MAX_EXACT = 10.0**15
"""Magnitude from which floats are not nudged or rounded: neighbors are at least 0.125 apart."""

_STEP = 10
_DIGITS = 40
"""Limit on digits of numbers whose digits are edited."""


@operator("int.step", int, (5, 6), (5, 4), weight=6)
def int_step(value: int, slot: Slot) -> int:
    """Add or subtract one (Table 1)."""
    return value + 1 if slot.random() < 0.5 else value - 1


@operator("int.near", int, (20, 24), (20, 12), weight=4)
def int_near(value: int, slot: Slot) -> int:
    """Add a small number of either sign."""
    return value + below(slot, 2 * _STEP + 1) - _STEP


@operator("int.negate", int, (5, -5), weight=3)
def int_negate(value: int, slot: Slot) -> int:
    """Flip the sign."""
    return -value


@operator("int.double", int, (5, 10))
def int_double(value: int, slot: Slot) -> int:
    """Double it."""
    return 2 * value


@operator("int.halve", int, (11, 5), weight=1)
def int_halve(value: int, slot: Slot) -> int:
    """Halve it, rounding down."""
    return value // 2


@operator("int.landmark", int, (57, 0), (57, 1), (57, 100), weight=3)
def int_landmark(value: int, slot: Slot) -> int:
    """Replace it by a number at which programs often behave differently."""
    return int(pick(slot, LANDMARKS))


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


fragments("int.fragment", int, (5, 77), weight=3)


constants("int.constant", int, (5, 42), weight=3)


@operator("int.shift", int, (5, 47), weight=1, family=Family.CONSTANT)
def int_shift(value: int, slot: Slot) -> int:
    """Add or subtract a constant of the task's text."""
    constant: int | None = slot.constant(int)
    if constant is None:
        return value
    return value + constant if slot.random() < 0.5 else value - constant


@operator("int.multiple", int, (5, 210), weight=1, family=Family.CONSTANT)
def int_multiple(value: int, slot: Slot) -> int:
    """Replace it by a multiple of a constant of the task's text."""
    constant: int | None = slot.constant(int)
    # Multiples of large constants are large numbers, which are the challenges' purpose.
    if constant is None or abs(constant) > 10**6:
        return value
    return constant * (value if abs(value) <= 1000 else below(slot, 10))


@operator("float.step", float, (0.5, 1.5), (0.5, -0.5), weight=6)
def float_step(value: float, slot: Slot) -> float:
    """Add or subtract one (Table 1)."""
    return value + 1.0 if slot.random() < 0.5 else value - 1.0


@operator("float.nudge", float, (2.0, 2.1), (2.0, 1.5), weight=4)
def float_nudge(value: float, slot: Slot) -> float:
    """Add or subtract a fraction with few decimals."""
    if not abs(value) < MAX_EXACT:
        return value
    nudge = pick(slot, (0.5, 0.25, 0.1, 0.05, 0.01, 0.001))
    return float(round(value + nudge if slot.random() < 0.5 else value - nudge, 6))


@operator("float.negate", float, (0.5, -0.5), weight=3)
def float_negate(value: float, slot: Slot) -> float:
    """Flip the sign."""
    return -value


@operator("float.double", float, (0.5, 1.0))
def float_double(value: float, slot: Slot) -> float:
    """Double it."""
    return 2.0 * value


@operator("float.halve", float, (0.5, 0.25))
def float_halve(value: float, slot: Slot) -> float:
    """Halve it."""
    return value / 2.0


@operator("float.scale", float, (2.0, 20.0), (2.0, 0.2), weight=1)
def float_scale(value: float, slot: Slot) -> float:
    """Multiply or divide by ten."""
    return value * 10.0 if slot.random() < 0.5 else value / 10.0


@operator("float.whole", float, (2.3, 2.0), (2.3, 3.0), (2.3, 2.5), weight=3)
def float_whole(value: float, slot: Slot) -> float:
    """Replace it by an adjacent integer, or the half between, where rounding changes."""
    if not abs(value) < MAX_EXACT:
        return value
    return math.floor(value) + float(pick(slot, (0.0, 1.0, 0.5)))


@operator("float.landmark", float, (5.7, 0.0), (5.7, 1.0), weight=3)
def float_landmark(value: float, slot: Slot) -> float:
    """Replace it by a number at which programs often behave differently."""
    return float(pick(slot, LANDMARKS))


fragments("float.fragment", float, (0.5, 7.7), weight=3)


constants("float.constant", float, (0.5, 4.2), weight=3)


@operator("bool.any", bool, (True, False), (True, True))
def bool_any(value: bool, slot: Slot) -> bool:
    """Return a random boolean (Table 1)."""
    return slot.random() < 0.5


@operator("none.none", type(None), (None, None))
def none_none(value: None, slot: Slot) -> None:
    """Return None (Table 1)."""
    return None


@operator("complex.part", complex, (1 + 2j, 2 + 2j), (1 + 2j, 1 + 1j), weight=4)
def complex_part(value: complex, slot: Slot) -> complex:
    """Add or subtract one in one part."""
    step = 1.0 if slot.random() < 0.5 else -1.0
    if slot.random() < 0.5:
        return complex(value.real + step, value.imag)
    return complex(value.real, value.imag + step)


@operator("complex.turn", complex, (1 + 2j, 1 - 2j), (1 + 2j, 2 + 1j), (1 + 2j, -1 - 2j))
def complex_turn(value: complex, slot: Slot) -> complex:
    """Mirror it: the conjugate, the negative, or with its parts exchanged."""
    real, imaginary = value.real, value.imag
    turned = (complex(real, -imaginary), complex(imaginary, real), complex(-real, -imaginary))
    return complex(pick(slot, turned))


@operator("complex.axis", complex, (1 + 2j, 1 + 0j), (1 + 2j, 2j), (1 + 2j, 0j))
def complex_axis(value: complex, slot: Slot) -> complex:
    """Project it onto an axis, or return zero."""
    return complex(pick(slot, (complex(value.real, 0.0), complex(0.0, value.imag), 0j)))


@operator("complex.scale", complex, (1 + 2j, 2 + 4j), (1 + 2j, 0.5 + 1j))
def complex_scale(value: complex, slot: Slot) -> complex:
    """Double or halve it."""
    return value * (2.0 if slot.random() < 0.5 else 0.5)


fragments("complex.fragment", complex, (1 + 2j, 7 + 7j))
