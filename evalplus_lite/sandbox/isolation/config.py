"""What a sandbox is made of: its tier of isolation, and what is importable inside."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from evalplus_lite.errors import InputError, one_of

Tier = Literal["auto", "namespaces", "landlock", "none"]
TIERS: tuple[Tier, ...] = ("auto", "namespaces", "landlock", "none")


@dataclass(frozen=True, slots=True)
class SandboxConfig:
    """How a sandbox is set up.

    ``hash_seed`` fixes string hashing inside. ``packages`` are importable there if installed
    here; ``readable`` are folders whose contents are importable there. ``tier``: ``auto`` takes
    the strongest that this machine holds and refuses where none does; ``none`` accepts resource
    limits and a system-call filter alone.
    """

    hash_seed: int = 0
    packages: tuple[str, ...] = ("numpy",)
    readable: tuple[str, ...] = ()
    tier: Tier = "auto"


def config_of(tier: object, packages: Iterable[str]) -> SandboxConfig:
    """Return the config of a tier by name, with numpy (if installed) and these packages.

    Raises InputError for a tier that is not known and a package that is not installed here.
    """
    known = {name: name for name in TIERS}
    if not isinstance(tier, str) or tier not in known:
        raise InputError(f"no sandbox tier named {tier!r}", remedy=one_of(str(tier), known))
    if isinstance(packages, str):
        raise InputError(f"packages is {packages!r}", remedy=f"give a list: [{packages!r}]")
    names = tuple(packages)
    for name in names:
        if not isinstance(name, str) or not _is_installed(name):
            raise InputError(
                f"no package {name!r} is installed beside evalplus-lite",
                remedy="install it into the same environment, or leave it out",
            )
    return SandboxConfig(tier=known[tier], packages=("numpy", *names))


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):  # not a package's name at all
        return False
