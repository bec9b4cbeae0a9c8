"""Formats of published sets: the keys of their rows, how a row becomes a task, where files are.

Each module of this folder has one or several; installed packages add theirs by entry points.
"""

from __future__ import annotations

import functools
import logging
import pkgutil
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.store import Row, cache_folder
from evalplus_lite.tasks.contracts import load_contracts
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.types import Rule, RuleKind, Task

# Published files, fetched once from where their makers release them, and checked by content.


@dataclass(frozen=True, slots=True)
class Release:
    """A published file: where it is, and the SHA-256 of its bytes."""

    url: str
    sha256: str

    @property
    def file_name(self) -> str:
        """The file's name in the cache: the version and the name that it was released under."""
        return "-".join(self.url.rsplit("/", 2)[1:])


def fetched(release: Release) -> Path:
    """Return the path of a published file in the cache, downloading it if it is not there yet.

    The cache is ``store.cache_folder()``. A file whose content is not the released one is never
    used. Raises InputError if the file cannot be had, naming the ways to do without the network.
    """
    # Both take a tenth of a second to import, and most commands need neither.
    import pooch
    import requests

    folder = cache_folder()
    place = folder / release.file_name
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        path = pooch.retrieve(
            release.url,
            known_hash=f"sha256:{release.sha256}",
            fname=release.file_name,
            path=folder,
        )
    except (requests.RequestException, OSError) as error:
        raise InputError(
            f"{release.url} cannot be downloaded: {_first_line(error)}",
            remedy=f"save it as {place}, or give the path of a copy instead of the name",
        ) from None
    except ValueError as error:  # pooch's word for a checksum that differs
        raise InputError(
            f"{release.url} is not the file that was released: {_first_line(error)}",
            remedy=f"try again later, or give the path of a copy instead; {place} was not kept",
        ) from None
    finally:
        logger.setLevel(level)
    return Path(path)


def _first_line(error: Exception) -> str:
    line = (str(error).splitlines() or [type(error).__name__])[0]
    return textwrap.shorten(line, 200, placeholder=" ...")


# How the published sets compare outputs: facts about single tasks, kept as data.

KINDS: Mapping[str, RuleKind] = {
    # These return the shared, distinct or largest elements, in no order that the text settles.
    "Mbpp/2": "unordered",  # similar_elements
    "Mbpp/7": "unordered",  # find_char_long
    "Mbpp/111": "unordered",  # common_in_nested_lists
    "Mbpp/140": "unordered",  # extract_singly
    "Mbpp/232": "unordered",  # larg_nnum
    "Mbpp/249": "unordered",  # intersection_array
    "Mbpp/579": "unordered",  # find_dissimilar
    "Mbpp/769": "unordered",  # Diff
    # These ask whether a text matches: a match object counts as True.
    "Mbpp/737": "truthiness",  # check_str
    "Mbpp/787": "truthiness",  # text_match_three
    "Mbpp/794": "truthiness",  # text_starta_endb
}

# Tasks of the published plus sets whose answers a contract file's ``check`` judges: any root of a
# polynomial counts, and two texts can be read in two ways. No other contract is taken there, so
# that numbers compare with the literature.
CHECKED: frozenset[str] = frozenset({"HumanEval/32", "Mbpp/558", "Mbpp/581"})


def published_rule(task_id: str, atol: float) -> Rule:
    """Return a published task's rule; an ``atol`` of 0 in its file means the default one."""
    rule = Rule(KINDS[task_id]) if task_id in KINDS else Rule()
    return replace(rule, atol=atol) if atol else rule


Source: TypeAlias = Release | Callable[[], Path]
"""Where a set's file is: a release to be downloaded once, or a function that finds it."""


@dataclass(frozen=True, slots=True)
class Background:
    """What is known of published tasks besides their rows, by task id.

    ``contracts`` are contract files, ``tests`` the test programs that a mini file leaves out.
    """

    contracts: Mapping[str, str] = field(default_factory=dict)
    tests: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of row: the keys that tell it, and how it becomes a task.

    A row is of the format most of whose ``keys`` it has, all of them. ``task`` raises
    ``Fields.refuse`` for a row that cannot be used: it is listed, and does not stop the others.
    ``sources`` are the sets of this format that have names. ``contracts`` is the folder of
    contract files that ship with the project, and ``prefix`` what their numbers follow in ids.
    ``tests`` gives the test programs that a file lacks, seen from its first row.
    """

    name: str
    keys: Collection[str]
    task: Callable[[Fields, Background], Task]
    sources: Mapping[str, Source] = field(default_factory=dict)
    contracts: str = ""
    prefix: str = ""
    tests: Callable[[Row], Mapping[str, str]] | None = None

    def known_contracts(self) -> dict[str, str]:
        """Return the contract files' texts by task id: a file's name begins with its number."""
        if not self.contracts:
            return {}
        texts = load_contracts(self.contracts)
        return {f"{self.prefix}{int(stem.partition('_')[0])}": text for stem, text in texts.items()}

    def background(self, first: Row) -> Background:
        """Return what is known besides the rows of a file that begins with ``first``."""
        return Background(self.known_contracts(), self.tests(first) if self.tests else {})


# All formats: those of the modules here, and those of installed packages.

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
    """Return the formats that modules of this folder have as ``FORMATS``."""
    package = __name__.rpartition(".")[0]
    places = import_module(package).__path__
    modules = (import_module(f"{package}.{each.name}") for each in pkgutil.iter_modules(places))
    return tuple(form for module in modules for form in getattr(module, "FORMATS", ()))


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
