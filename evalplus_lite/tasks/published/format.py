"""Formats of published sets: their keys, how a row becomes a task, and where the files are.

Modules of this folder define one or more each; installed packages add theirs by entry points.
"""

from __future__ import annotations

import functools
import logging
import pkgutil
import textwrap
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.store import Row, cache_folder
from evalplus_lite.tasks.contracts import load_contracts
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.types import Rule, RuleKind, Task

# Published files: downloaded once from their makers' releases, and verified by checksum.


@dataclass(frozen=True, slots=True)
class Release:
    """A published file: its URL, and the SHA-256 of its bytes."""

    url: str
    sha256: str

    @property
    def file_name(self) -> str:
        """The file's name in the cache: the released version and file name."""
        return "-".join(self.url.rsplit("/", 2)[1:])


def fetched(release: Release) -> Path:
    """Return the path of a published file in the cache, after downloading it if missing.

    The cache is ``store.cache_folder()``. A file with the wrong checksum is never used. Raises
    InputError if the download fails, with ways to proceed without the network.
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
    except ValueError as error:  # raised by pooch for a wrong checksum
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


# How the published sets compare outputs, for tasks with rules of their own.

KINDS: Mapping[str, RuleKind] = {
    # These return shared, distinct or largest elements; the prompt does not specify the order.
    "Mbpp/2": "unordered",  # similar_elements
    "Mbpp/7": "unordered",  # find_char_long
    "Mbpp/111": "unordered",  # common_in_nested_lists
    "Mbpp/140": "unordered",  # extract_singly
    "Mbpp/232": "unordered",  # larg_nnum
    "Mbpp/249": "unordered",  # intersection_array
    "Mbpp/579": "unordered",  # find_dissimilar
    "Mbpp/769": "unordered",  # Diff
    # These ask whether a text matches; a match object counts as True.
    "Mbpp/737": "truthiness",  # check_str
    "Mbpp/787": "truthiness",  # text_match_three
    "Mbpp/794": "truthiness",  # text_starta_endb
}

# Tasks of the published plus sets judged by a contract's ``check``: one accepts any root of a
# polynomial, two have ambiguous prompts. Other contracts are not used there, so that scores
# compare with the literature.
CHECKED: frozenset[str] = frozenset({"HumanEval/32", "Mbpp/558", "Mbpp/581"})


def published_rule(task_id: str, atol: float) -> Rule:
    """Return a published task's rule; an ``atol`` of 0 in its file means the default."""
    rule = Rule(KINDS[task_id]) if task_id in KINDS else Rule()
    return replace(rule, atol=atol) if atol else rule


Source: TypeAlias = Release | Callable[[], Path]
"""The source of a set's file: a release to download once, or a function that returns its path."""


@dataclass(frozen=True, slots=True)
class Background:
    """Data about published tasks that is not in their rows, by task id.

    ``contracts`` are contract files; ``tests`` are test programs that a mini file omits.
    """

    contracts: Mapping[str, str] = field(default_factory=dict)
    tests: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Format:
    """A row format: the keys that identify it, and how a row becomes a task.

    A row must have all ``keys``; if several formats match, the one with the most keys wins.
    ``task`` raises ``Fields.refuse`` for an unusable row, which is listed and does not stop the
    others. ``sources`` maps names of sets to their files. ``contracts`` is the folder of contracts
    that ship with the project, and ``prefix`` comes before their numbers in task ids. ``tests``
    returns the test programs that a file lacks, given its first row.
    """

    name: str
    keys: Collection[str]
    task: Callable[[Fields, Background], Task]
    sources: Mapping[str, Source] = field(default_factory=dict)
    contracts: str = ""
    prefix: str = ""
    tests: Callable[[Row], Mapping[str, str]] | None = None

    def known_contracts(self) -> dict[str, str]:
        """Return the contracts by task id; a contract's file name starts with the task number."""
        if not self.contracts:
            return {}
        texts = load_contracts(self.contracts)
        return {f"{self.prefix}{int(stem.partition('_')[0])}": text for stem, text in texts.items()}

    def background(self, first: Row) -> Background:
        """Return the background of a file whose first row is ``first``."""
        return Background(self.known_contracts(), self.tests(first) if self.tests else {})


# The registry: formats of the modules here and of installed packages.

GROUP = "evalplus_lite.datasets"
"""The entry-point group of ``Format`` objects in other packages."""


@dataclass(frozen=True, slots=True)
class Registry:
    """All formats, most keys first, and a message for each that failed to load."""

    formats: tuple[Format, ...]
    sources: Mapping[str, Source]
    """The source of each named set."""
    faults: tuple[str, ...] = ()

    def of(self, keys: frozenset[str]) -> Format | None:
        """Return the format of a row with these keys, None if there is none."""
        return next((each for each in self.formats if keys.issuperset(each.keys)), None)


@functools.cache
def own_formats() -> tuple[Format, ...]:
    """Return the formats in ``FORMATS`` of this folder's modules."""
    package = __name__.rpartition(".")[0]
    places = import_module(package).__path__
    modules = (import_module(f"{package}.{each.name}") for each in pkgutil.iter_modules(places))
    return tuple(form for module in modules for form in getattr(module, "FORMATS", ()))


def registry() -> Registry:
    """Return the formats of this project and of installed packages.

    A format that fails to load is listed but raises nothing, since it may not be needed.
    """
    faults: list[str] = []
    formats = list(own_formats())
    for point in entry_points(group=GROUP):
        owner = point.dist.name if point.dist else "an installed package"
        name = f"the data set {point.name!r} of {owner}"
        try:
            found = point.load()
        except Exception as error:  # third-party code
            faults.append(f"{name} does not load: {type(error).__name__}: {error}")
            continue
        if isinstance(found, Format):
            formats.append(found)
        else:
            faults.append(f"{name} is {type(found).__name__}, a Format was expected")
    # This project's formats and sets take precedence over others of the same name.
    sources = {name: place for each in reversed(formats) for name, place in each.sources.items()}
    formats.sort(key=lambda each: -len(each.keys))
    return Registry(tuple(formats), dict(sorted(sources.items())), tuple(faults))


def place_of(source: Source) -> Path:
    """Return the path of a set's file, downloading it if missing; InputError if that fails."""
    return fetched(source) if isinstance(source, Release) else source()
