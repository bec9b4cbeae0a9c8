"""The formats there are: a module in this folder each, and other people's by their entry points."""

from __future__ import annotations

import functools
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from evalplus_lite.tasks.published.download import Release, fetched
from evalplus_lite.tasks.published.format import Format, Source

GROUP = "evalplus_lite.datasets"
"""The group of entry points, each of which is a ``Format``."""


@dataclass(frozen=True, slots=True)
class Registry:
    """All formats, those with more keys first, and a line for each of others that does not load."""

    formats: tuple[Format, ...]
    sources: Mapping[str, Source]
    """The sets that have names: where each is."""
    faults: tuple[str, ...] = ()

    def of(self, keys: frozenset[str]) -> Format | None:
        """Return the format of a row with these keys, None if there is none."""
        return next((each for each in self.formats if keys.issuperset(each.keys)), None)


@functools.cache
def own_formats() -> tuple[Format, ...]:
    """Return the formats that modules of this folder have as ``FORMAT`` or ``FORMATS``."""
    package = __name__.rpartition(".")[0]
    places = import_module(package).__path__
    modules = (import_module(f"{package}.{each.name}") for each in pkgutil.iter_modules(places))
    return tuple(
        form
        for module in modules
        for form in getattr(module, "FORMATS", (getattr(module, "FORMAT", None),))
        if form is not None
    )


def registry() -> Registry:
    """Return the formats of this project and of whatever is installed beside it.

    What does not load is listed, and stops nothing: it may not be needed.
    """
    faults: list[str] = []
    formats = [*own_formats(), *_others(faults)]
    # Of two formats or sets alike, that of this project prevails.
    sources = {name: place for each in reversed(formats) for name, place in each.sources.items()}
    formats.sort(key=lambda each: -len(each.keys))
    return Registry(tuple(formats), dict(sorted(sources.items())), tuple(faults))


def place_of(source: Source) -> Path:
    """Return the path of a named set's file, downloaded if need be; InputError if there is none."""
    return fetched(source) if isinstance(source, Release) else source()


def _others(faults: list[str]) -> Iterator[Format]:
    for point in entry_points(group=GROUP):
        try:
            found = point.load()
        except Exception as error:  # it is another's code
            faults.append(f"{_named(point)} does not load: {type(error).__name__}: {error}")
            continue
        if isinstance(found, Format):
            yield found
        else:
            faults.append(f"{_named(point)} is {type(found).__name__}, a Format was expected")


def _named(point: EntryPoint) -> str:
    owner = point.dist.name if point.dist else "an installed package"
    return f"the data set {point.name!r} of {owner}"
