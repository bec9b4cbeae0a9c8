"""What a model's input is instead of what was observed, and values that come as strings."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from evalplus_lite.errors import CodecError
from evalplus_lite.types import Value
from evalplus_lite.values import codec
from evalplus_lite.values.kinds.registry import BY_TYPE


class FormError(ValueError):
    """A model's input is not of the observed types; the message says where and how."""


def read_text(tree: str, kinds: Sequence[type], where: str) -> Value:
    """Read a value of a type beyond the plain ones: tagged JSON, or what stands behind the tag."""
    extended = [BY_TYPE[kind] for kind in kinds if kind in BY_TYPE]
    for read in (codec.loads, *(kind.from_body for kind in extended)):
        with suppress(CodecError, TypeError, ValueError, ArithmeticError):
            if type(value := read(tree)) in kinds and type(value) in BY_TYPE:
                return value
    raise misfit(str, kinds, where)


def misfit(kind: type, kinds: Sequence[type], where: str) -> FormError:
    """Return the error that names what was found at a place, and the types that were observed."""
    return FormError(f"{where} is {name(kind)}, not {' or '.join(map(name, kinds))}")


def name(kind: type) -> str:
    """Return what a type is called in messages."""
    return "None" if kind is type(None) else kind.__name__
