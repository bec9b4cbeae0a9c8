"""Operators for bytes."""

from __future__ import annotations

from evalplus_lite.generate.operators.parts import span
from evalplus_lite.generate.operators.registry import Family, MutationContext, below, operator, pick


@operator("bytes.remove", bytes, (b"abc", b"ac"), weight=3)
def bytes_remove(value: bytes, context: MutationContext) -> bytes:
    """Without some part."""
    if not value:
        return value
    start, end = span(len(value), context)
    return value[:start] + value[end:]


@operator("bytes.repeat", bytes, (b"abc", b"abbc"), weight=3)
def bytes_repeat(value: bytes, context: MutationContext) -> bytes:
    """With some part twice."""
    if not value:
        return value
    start, end = span(len(value), context)
    return value[:end] + value[start:]


@operator("bytes.replace", bytes, (b"abc", b"\x00bc"), (b"abc", b"ab\xff"), weight=4)
def bytes_replace(value: bytes, context: MutationContext) -> bytes:
    """With one byte changed: to a neighbour, an edge of the range, or any."""
    if not value:
        return value
    at = below(context, len(value))
    byte = pick(context, (0, 255, 127, 128, (value[at] + 1) % 256, below(context, 256)))
    return value[:at] + bytes([byte]) + value[at + 1 :]


@operator("bytes.insert", bytes, (b"abc", b"ab\x00c"), weight=3)
def bytes_insert(value: bytes, context: MutationContext) -> bytes:
    """With one byte more."""
    at = below(context, len(value) + 1)
    byte = 0 if context.random() < 0.3 else below(context, 256)
    return value[:at] + bytes([byte]) + value[at:]


@operator("bytes.reverse", bytes, (b"abc", b"cba"), weight=1)
def bytes_reverse(value: bytes, context: MutationContext) -> bytes:
    """Backwards."""
    return value[::-1]


@operator("bytes.fragment", bytes, (b"abc", b"wxyz"))
def bytes_fragment(value: bytes, context: MutationContext) -> bytes:
    """Other bytes seen among the inputs."""
    fragment = context.fragment(bytes)
    return value if fragment is None else fragment


@operator("bytes.constant", bytes, (b"abc", b"kept"), family=Family.CONSTANT)
def bytes_constant(value: bytes, context: MutationContext) -> bytes:
    """A bytes constant of the task's text."""
    constant = context.constant(bytes)
    return value if constant is None else constant
