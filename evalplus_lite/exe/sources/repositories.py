"""Git repositories at a commit, as source archives: nothing of them is run, hooks included."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

from evalplus_lite.errors import InputError
from evalplus_lite.exe.sources.packages import LONGEST_URL, Origin

PREFIX = "git+"
SUBDIRECTORY = "subdirectory="
GIT_SECONDS = 600.0
"""How long each step of git may take."""
SCHEMES = "https:http:ssh:git:file"
"""Ways that git may take: none of them starts a program that an address names."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of a repository: its address without a password, its hash, its day."""

    url: str
    id: str
    date: str

    def of(self, origin: Origin) -> Origin:
        """Return the origin of an archive as that of the commit that it was made of."""
        return replace(origin, url=self.url, commit=self.id, date=self.date)


def check_repository(name: str) -> None:
    """Raise InputError, before any work, for an address that cannot be used or holds a secret."""
    url, _ = _parts(name)
    if re.match(r"https?://[^/]*@", url) or re.match(r"\w+://[^/@]*:[^/@]*@", url):
        raise InputError(
            f"{_without_password(url)}: an address with a password would be written into files",
            remedy="clone it yourself and give git+file:///path, or use ssh",
        )


def is_repository(name: str) -> bool:
    """Say whether a package is given as a repository: ``git+ADDRESS[@COMMIT]``."""
    return name.startswith(PREFIX)


def fetched(name: str, folder: Path) -> tuple[Path, Commit]:
    """Return a source archive of a repository's files at a commit, and which that is.

    ``name`` is ``git+https://host/project@COMMIT`` (or ssh, file, or a path); COMMIT is a commit,
    tag or branch, by default the newest. ``#subdirectory=PATH`` after it takes a folder alone.
    Neither hooks nor filters run, submodules stay away, and the user's own settings count nothing.
    InputError says what git could not do.
    """
    check_repository(name)
    url, asked = _parts(name)
    inner = _subdirectory(name)
    place = str(Path(url).resolve()) if "://" not in url else url
    at = ("--git-dir", str(folder / "repository.git"))
    _git(name, *at, "init", "--quiet", "--bare", "--template=")
    fetch = (*at, "fetch", "--quiet", "--no-tags", "--recurse-submodules=no")
    found = "FETCH_HEAD"
    try:  # the files of one commit; a server may not give one that it is not asked for by name
        _git(name, *fetch, "--depth=1", "--", place, asked or "HEAD")
    except InputError:
        _git(name, *fetch, "--", place, "+refs/*:refs/all/*")
        found = asked or "HEAD"
    commit = _git(
        name, *at, "rev-parse", "--verify", f"{found}^{{commit}}", what="find a commit of"
    )
    date = _git(name, *at, "show", "--no-patch", "--format=%cs", commit)
    project = re.sub(r"[^A-Za-z0-9._]+", "_", Path(place.rstrip("/")).name.removesuffix(".git"))
    stem = f"{project or 'repository'}-{commit[:12]}"
    archive = folder / f"{stem}.tar.gz"
    form = ("--format=tar.gz", f"--prefix={stem}/", f"--output={archive}")
    _git(name, *at, "archive", *form, f"{commit}:{inner}" if inner else commit)
    address = _without_password(place) + (f"#{SUBDIRECTORY}{inner}" if inner else "")
    return archive, Commit(address[:LONGEST_URL], commit, date)


def _parts(name: str) -> tuple[str, str]:
    """Return address and commit of ``git+ADDRESS[@COMMIT]``: an ``@`` before a host stays."""
    found = re.fullmatch(r"git\+((?:\w+://[^/]*)?.+?)(?:@([^@/:#][^@:#]*))?(?:#.*)?", name)
    if found is None or found[1].startswith("-") or (found[2] or "").startswith("-"):
        raise InputError(
            f"{name!r} is no repository", remedy="as in git+https://host/project@commit"
        )
    return found[1], found[2] or ""


def _subdirectory(name: str) -> str:
    """Return the folder that ``#subdirectory=PATH`` names, empty if nothing does."""
    for part in name.partition("#")[2].split("&"):
        if part.startswith(SUBDIRECTORY):
            inner = unquote(part.removeprefix(SUBDIRECTORY)).strip("/")
            if ".." in inner.split("/"):
                raise InputError(f"{name!r}: a folder outside the repository")
            return inner
    return ""


def _without_password(url: str) -> str:
    return re.sub(r"^(\w+://)[^/@]*@", r"\1", url)


def _git(name: str, *words: str, what: str = "read") -> str:
    quiet = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": SCHEMES,
        "GIT_LFS_SKIP_SMUDGE": "1",
        "LC_ALL": "C",
    }
    settings = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false")
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", *settings, *words],
            env={**env, **quiet},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise InputError(
            f"{name} needs git, which is not installed", remedy="install git"
        ) from None
    except subprocess.TimeoutExpired:
        raise InputError(f"git took more than {GIT_SECONDS:g} s to {what} {name}") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        said = next((line for line in lines if line.startswith("fatal: ")), lines[-1])
        raise InputError(
            f"git could not {what} {_without_password(name[len(PREFIX) :])}: {said[:300]}",
            remedy="check address and commit",
        )
    return done.stdout.decode("utf-8", "replace").strip()
