"""What there is to know of one type of values beyond the plain ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from evalplus_lite.types import Value

Parts = tuple[Value, ...]
Find = Callable[[str], Any]
"""Returns what the program under test has under a name; None if nothing."""
Base = Literal["scalar", "tuple", "dict"]

# Tags of the wire form that a part may begin with, beside those of ``values.wire``.
INTEGERS, TEXT, NONE, LIST, TUPLE, DICT = b"il", b"u", b"N", b"[", b"(", b"{"
MAX_BITS = 13_000
"""Bits of an integer that stands within an atom: it is computed with, to compare."""


def same(value: Any) -> Any:
    """Return the value."""
    return value


def no_parts(value: Any) -> None:
    """Say of a value, whatever it is, that it has no parts to travel as."""
    return


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A type of values beyond the plain ones, which travels as *parts*: values in their turn.

    ``name`` is the type's in wire form and, after a ``$``, in files. Here a value is a ``type``;
    in the sandbox it is one of the classes ``inside``, by full name, or of one derived from those.

    ``pack`` gives the parts of a value (None if it has none such), ``unpack`` the value of sound
    parts. Their *text* runs in the sandbox too, so they import within, and nothing of this
    package. Where values look otherwise on this side, ``parts`` and ``make`` do the same here;
    ``make`` has to be strict, as parts come from anyone: ValueError or TypeError if they are not
    sound. ``forms`` are the tags in wire form that each part may begin with.
    """

    name: str
    type: type[Any]
    inside: tuple[str, ...]
    pack: Callable[[Any], Parts | None]
    unpack: Callable[[Parts, Find], Any]
    make: Callable[..., Any]
    forms: tuple[bytes, ...]
    parts: Callable[[Any], Parts | None] = no_parts
    """Gives the parts of a value on this side; those that ``pack`` gives, if this gives none."""

    is_atom: bool = False
    """Small, and compared as a whole: by ``key``. Other types are compared part by part."""
    key: Callable[[Any], Value] = same
    """Of an atom: a plain value that equal ones share; a ``scalar``'s is a number or a string."""
    base: Base | None = None
    """What it equals in Python if its first part does: a plain tuple or dict; as a ``scalar`` it
    equals whatever its key does."""
    compared: int = 1
    """How many parts, from the first, decide whether two values of the type are equal."""
    typed: int = 1
    """How many do where types have to be the same, too."""
    drops_zeros: bool = False
    """Whether an item of the first part, a dict, is as good as absent if it is 0."""
    is_ordered: bool = False
    """Whether two are equal only if their first parts hold their keys in the same order."""
    is_hashable: bool = True
    has_order: bool = False
    """Whether of two values one comes first, as of two dates."""

    written: Callable[[Any], Value] | None = None
    """Gives what stands behind the tag in files; by default the only part, or a list of them."""
    read: Callable[[Any], Any] | None = None
    """Reads what ``written`` gave, as strictly as ``make``."""
    call: str = ""
    """The full name of what gives a value of its parts, as a text calls it; empty if nothing."""
    arguments: Callable[[Any, Callable[[Value], str]], str] | None = None
    """Writes what ``call`` is called on, given what writes values; by default the parts."""
    constructors: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Calls that a text may write values of the type as, by name of the function."""

    is_declared: bool = False
    """Whether values are of classes that a program declares: none is made unless one was seen."""
    annotations: tuple[str, ...] = ()
    """The names by which an annotation means the type."""
    is_signed: bool = False
    """Whether the first part of the view has the sign of a number."""
    view: Callable[[Any], Value] = same
    """Gives a plain value that is changed in place of this one, to make inputs."""
    viewed: Callable[[Any, Any], Any] | None = None
    """Makes a value of a view, like another value of the type where the view says nothing."""
    examples: tuple[Any, ...] = ()
    """Values that show the type's range: what is usual first, then edges."""

    def split(self, value: Any) -> Parts:
        """Return the parts of a value on this side; TypeError if it has none."""
        found = self.parts(value)
        found = self.pack(value) if found is None else found
        if found is None:
            raise TypeError(f"{value!r:.100} cannot be sent")
        return found

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
        """Return what stands behind the tag in a file."""
        if self.written is not None:
            return self.written(value)
        parts = self.split(value)
        return parts[0] if len(parts) == 1 else list(parts)

    def from_body(self, body: Value) -> Any:
        """Return the value that stands behind the tag; ValueError or TypeError if there is none."""
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
