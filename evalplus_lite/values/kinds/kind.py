"""The description of one extended type of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from evalplus_lite.types import Value

Parts = tuple[Value, ...]
Find = Callable[[str], Any]
"""Returns the program's object under a name, or None."""
Base = Literal["scalar", "tuple", "dict"]

# Wire tags that a part may begin with, in addition to those of ``values.wire``.
INTEGERS, TEXT, NONE, LIST, TUPLE, DICT = b"il", b"u", b"N", b"[", b"(", b"{"
MAX_BITS = 13_000
"""Bits of an integer within an atom, which comparison computes with."""


def same(value: Any) -> Any:
    """Return the value."""
    return value


def no_parts(value: Any) -> None:
    """Report that a value has no parts."""
    return


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """An extended type, whose values travel as *parts*: values in their turn.

    ``name`` is the type's in wire form and, after a ``$``, in files. Here a value is a ``type``; in
    the sandbox it is one of the classes ``inside``, by full name, or of one derived from those.

    ``pack`` returns the parts of a value (None if it has none such), ``unpack`` the value of sound
    parts. Their *text* runs in the sandbox too, so they import within, and nothing of this package.
    Where values look different on this side, ``parts`` and ``make`` do the same here. ``make`` has
    to be strict, because parts may be hostile: it raises ValueError or TypeError. ``forms`` are the
    tags in wire form that each part may begin with.
    """

    name: str
    type: type[Any]
    inside: tuple[str, ...]
    pack: Callable[[Any], Parts | None]
    unpack: Callable[[Parts, Find], Any]
    make: Callable[..., Any]
    forms: tuple[bytes, ...]
    parts: Callable[[Any], Parts | None] = no_parts
    """Returns the parts of a value on this side; None to use ``pack``."""

    is_atom: bool = False
    """Small, and compared as a whole: by ``key``. Other types are compared part by part."""
    key: Callable[[Any], Value] = same
    """For an atom: a plain value that equal ones share; for a ``scalar`` a number or a string."""
    base: Base | None = None
    """The plain type it equals if its first part does (tuple or dict); a ``scalar`` equals its key.
    """
    compared: int = 1
    """How many leading parts decide whether two values of the type are equal."""
    typed: int = 1
    """How many leading parts decide it where types must match too."""
    drops_zeros: bool = False
    """Whether an item of the first part, a dict, counts as absent if it is 0."""
    is_ordered: bool = False
    """Whether two are equal only if their first parts hold their keys in the same order."""
    is_hashable: bool = True
    has_order: bool = False
    """Whether values can be ordered, as dates can."""

    written: Callable[[Any], Value] | None = None
    """Returns the body behind the tag in files; by default the only part, or a list of them."""
    read: Callable[[Any], Any] | None = None
    """Reads what ``written`` gave, as strictly as ``make``."""
    call: str = ""
    """The full name of the constructor in source text; empty if there is none."""
    arguments: Callable[[Any, Callable[[Value], str]], str] | None = None
    """Writes the arguments of ``call``, given a function that writes values; by default the parts.
    """
    constructors: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Calls that a text may write values of the type as, by name of the function."""

    is_declared: bool = False
    """Whether a program declares the classes: values are only generated after one was seen."""
    annotations: tuple[str, ...] = ()
    """The names that annotations use for the type."""
    is_signed: bool = False
    """Whether the first part of the view has the sign of a number."""
    view: Callable[[Any], Value] = same
    """Gives a plain value that is changed in place of this one, to make inputs."""
    viewed: Callable[[Any, Any], Any] | None = None
    """Builds a value from a view, taking from another value of the type what the view omits."""
    examples: tuple[Any, ...] = ()
    """Values that show the type's range: usual ones first, then edge cases."""

    def split(self, value: Any) -> Parts:
        """Return the parts of a value on this side; TypeError if it has none."""
        parts = self.parts(value)
        parts = self.pack(value) if parts is None else parts
        if parts is None:
            raise TypeError(f"{value!r:.100} cannot be sent")
        return parts

    def source(self, value: Any, write: Callable[[Value], str]) -> str:
        """Return an expression that, evaluated without imports, is the value; ``write`` its parts.

        ValueError if there is none, as the class is some program's.
        """
        if not self.call:
            raise ValueError(f"a {self.name} is of a class that is not known here")
        if self.arguments is not None:
            arguments = self.arguments(value, write)
        else:
            arguments = ", ".join(map(write, self.split(value)))
        module, _, name = self.call.partition(".")
        return f"{f'__import__({module!r}).{name}' if module != 'builtins' else name}({arguments})"

    def details(self, value: Any) -> Parts:
        """Return the parts beyond the first that have to be the same for types to be."""
        return self.split(value)[1 : self.typed] if self.typed > 1 else ()

    def to_body(self, value: Any) -> Value:
        """Return the body behind the tag in a file."""
        if self.written is not None:
            return self.written(value)
        parts = self.split(value)
        return parts[0] if len(parts) == 1 else list(parts)

    def from_body(self, body: Value) -> Any:
        """Return the value of the body behind a tag; ValueError or TypeError if malformed."""
        if self.read is not None:
            return self.read(body)
        if len(self.forms) == 1:
            return self.make(body)
        if type(body) is not list or len(body) != len(self.forms):
            raise TypeError(f"a list of {len(self.forms)} was expected")
        return self.make(*body)


def whole(value: object) -> int:
    """Return an integer of bounded size; TypeError or ValueError if it is not one."""
    if type(value) is not int:
        raise TypeError("an integer was expected")
    if value.bit_length() > MAX_BITS:
        raise ValueError(f"an integer of more than {MAX_BITS} bits")
    return value


def text(value: object, most: int = 200) -> str:
    """Return a string of bounded length; TypeError or ValueError if it is not one."""
    if type(value) is not str:
        raise TypeError("a string was expected")
    if len(value) > most:
        raise ValueError(f"a string of more than {most} characters")
    return value


def of_type(value: Any, kind: type) -> Any:
    """Return the value if it is exactly of the type; else raise TypeError."""
    if type(value) is not kind:
        raise TypeError(f"a {kind.__name__} was expected")
    return value
