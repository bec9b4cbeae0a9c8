"""The description of an extended type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from evalplus_lite.types import Value

Parts = tuple[Value, ...]
Find = Callable[[str], Any]
"""Returns the program's object under a name, or None."""
Base = Literal["scalar", "tuple", "dict"]

# Wire tags with which a part may begin, in addition to those in ``values.wire``.
INTEGERS, TEXT, NONE, LIST, TUPLE, DICT = b"il", b"u", b"N", b"[", b"(", b"{"
MAX_BITS = 13_000
"""Maximum bits of an integer in an atom, as comparison computes with it."""


def same(value: Any) -> Any:
    """Return the value unchanged."""
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """An extended type, whose values are sent as *parts*, which are values themselves.

    ``name`` is the type's name in wire form and, after a ``$``, in files. On this side a value is a
    ``type``; in the sandbox its class is one of ``inside``, by full name, or derived from one.

    ``pack`` returns the parts of a value (or None), and ``unpack`` the value of valid parts. Their
    *text* also runs in the sandbox, so they import inside the function, and nothing from this
    package. If values have other types on this side, ``parts`` and ``make`` do the same here.
    ``make`` must be strict, because parts may be hostile: it raises ValueError or TypeError.
    ``forms`` are the wire tags with which each part may begin.
    """

    name: str
    type: type[Any]
    inside: tuple[str, ...]
    pack: Callable[[Any], Parts | None]
    unpack: Callable[[Parts, Find], Any]
    make: Callable[..., Any]
    forms: tuple[bytes, ...]
    parts: Callable[[Any], Parts] | None = None
    """Returns the parts of a value on this side; by default as ``pack``."""

    is_atom: bool = False
    """Whether values are small and compared as a whole, by ``key``, instead of part by part."""
    key: Callable[[Any], Value] = same
    """For an atom, a plain value that equal atoms share; for a ``scalar``, a number or string."""
    base: Base | None = None
    """The plain type it equals if its first part does; a ``scalar`` equals its key."""
    compared: int = 1
    """The number of leading parts that decide equality of two values."""
    typed: int = 1
    """The number of leading parts that decide equality if types must match, too."""
    drops_zeros: bool = False
    """Whether items of the first part, a dict, count as missing if they are 0."""
    is_ordered: bool = False
    """Whether equality requires the same order of keys in the first parts."""
    is_hashable: bool = True
    has_order: bool = False
    """Whether values can be ordered, as dates can."""

    written: Callable[[Any], Value] | None = None
    """Returns the body after the tag in files; by default the only part, or a list of parts."""
    read: Callable[[Any], Any] | None = None
    """Reads the result of ``written``, as strictly as ``make``."""
    call: str = ""
    """The full name of the constructor in source text; "" if there is none."""
    arguments: Callable[[Any, Callable[[Value], str]], str] | None = None
    """Writes the arguments of ``call``, with a function for values; by default the parts."""
    constructors: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Functions whose calls in source text denote values of the type, by name."""

    is_declared: bool = False
    """Whether programs declare the classes, so that values are only generated after seeing one."""
    annotations: tuple[str, ...] = ()
    """The type's names in annotations."""
    is_signed: bool = False
    """Whether the first part of the view has the sign of a number."""
    view: Callable[[Any], Value] = same
    """Returns a plain value that mutation changes instead of this one."""
    viewed: Callable[[Any, Any], Any] | None = None
    """Builds a value from a view, and from another value of the type for omitted parts."""
    examples: tuple[Any, ...] = ()
    """Values that cover the type's range: usual ones first, then edge cases."""

    def split(self, value: Any) -> Parts:
        """Return the parts of a value on this side; raise TypeError if it has none."""
        parts = (self.parts or self.pack)(value)
        if parts is None:
            raise TypeError(f"{value!r:.100} cannot be sent")
        return parts

    def source(self, value: Any, write: Callable[[Value], str]) -> str:
        """Return an expression that evaluates to the value without imports; ``write`` writes parts.

        Raises ValueError if there is none, because the class is declared by a program.
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
        """Return the parts after the first that must be equal for types to be equal."""
        return self.split(value)[1 : self.typed] if self.typed > 1 else ()

    def to_body(self, value: Any) -> Value:
        """Return the body after the tag in a file."""
        if self.written is not None:
            return self.written(value)
        parts = self.split(value)
        return parts[0] if len(parts) == 1 else list(parts)

    def from_body(self, body: Value) -> Any:
        """Return the value of the body after a tag; raise ValueError or TypeError if malformed."""
        if self.read is not None:
            return self.read(body)
        if len(self.forms) == 1:
            return self.make(body)
        if type(body) is not list or len(body) != len(self.forms):
            raise TypeError(f"a list of {len(self.forms)} was expected")
        return self.make(*body)


def whole(value: object) -> int:
    """Return an integer of limited size; raise TypeError or ValueError for other values."""
    if type(value) is not int:
        raise TypeError("an integer was expected")
    if value.bit_length() > MAX_BITS:
        raise ValueError(f"an integer of more than {MAX_BITS} bits")
    return value


def text(value: object, most: int = 200) -> str:
    """Return a string of limited length; raise TypeError or ValueError for other values."""
    if type(value) is not str:
        raise TypeError("a string was expected")
    if len(value) > most:
        raise ValueError(f"a string of more than {most} characters")
    return value


def of_type(value: Any, kind: type) -> Any:
    """Return the value if it has exactly this type; else raise TypeError."""
    if type(value) is not kind:
        raise TypeError(f"a {kind.__name__} was expected")
    return value
