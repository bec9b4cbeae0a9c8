"""Mining one package beside a sandbox: what a backend's places do."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)

from evalplus_lite.errors import InputError
from evalplus_lite.exe.inlining.graph import Obstacle
from evalplus_lite.exe.mine import PackageMine
from evalplus_lite.exe.running.observing import has_tests
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.selecting.funnel import Funnel
from evalplus_lite.exe.selecting.static import Reject
from evalplus_lite.exe.settings import MiningSettings
from evalplus_lite.exe.sources.archives import open_package
from evalplus_lite.exe.sources.packages import PackageSource, download, is_absent
from evalplus_lite.exe.sources.repositories import fetched, is_repository
from evalplus_lite.exe.sources.sdists import source_archive
from evalplus_lite.exe.tasks.likeness import Earlier
from evalplus_lite.execution.base import Row, Work, WorkerContext
from evalplus_lite.models import Client, ModelSource

MOST_FETCHED = 30
"""Libraries that are fetched for one package, those that they require included."""
NOT_FETCHED = "not fetched"
OF_TESTS = ("test", "tests", "testing")
"""Extras that name what a package's tests import."""
ARCHIVES = (".whl", ".tar.gz", ".tgz", ".zip", ".tar.bz2", ".tar.xz")


def mining(place: WorkerContext, settings: Row) -> Work:
    """Of a package, named or by its path, the row that ``PackageWork.row`` makes.

    ``settings`` are those of mining, the paths of companions and of archives at hand, and the
    options of the client of a model that writes inputs, or None.
    """
    options, companions, at_hand, client, earlier = settings
    source = None if client is None else Client(**client)
    found = archives_by_name([Path(path) for path in (*companions, *at_hand)])
    folders = [path for path in map(Path, companions) if path.is_dir()]
    wanted = None if earlier is None else Earlier(Path(earlier)).inputs()
    work = PackageWork(MiningSettings(**options), folders, found, source, wanted)
    sandboxes = Sandboxes(place.sandbox)
    return lambda name: work.row(name, sandboxes)


class PackageWork:
    """Mines packages one by one; archives at hand are what they may import, by name."""

    def __init__(
        self,
        settings: MiningSettings,
        folders: list[Path],
        archives: dict[str, Path],
        source: ModelSource | None,
        wanted: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self.settings, self.source, self.wanted = settings, source, wanted
        self.folders, self.archives = folders, archives

    def row(self, name: str, sandboxes: Sandboxes) -> dict[str, Any]:
        """Return a package's tasks, rejects, times and funnel as a journal's row."""
        funnel = Funnel()
        row: dict[str, Any] = {"package": name, "tasks": [], "rejects": [], "seconds": {}}
        problem = ""
        try:
            with tempfile.TemporaryDirectory(prefix="package-") as folder, ExitStack() as stack:
                package = self._opened(name, Path(folder), stack)
                row["sha256"] = package.origin.sha256
                others = [
                    *self._stubs(package, stack, Path(folder, "stubs"), row["rejects"]),
                    *self._companions(package, stack, Path(folder, "required"), row["rejects"]),
                ]
                tests = self._tests(name, package, stack, Path(folder, "tests"), row["rejects"])
                mine = PackageMine(
                    package,
                    self.settings,
                    others,
                    sandboxes,
                    self.source,
                    self.wanted,
                    tests,
                    funnel,
                )
                for result in mine.yields():
                    if result.task is not None:
                        row["tasks"].append(result.task.to_json())
                        row["seconds"][result.task.id] = result.seconds
                    elif result.reject is not None:
                        row["rejects"].append(result.reject.to_json())
        except (InputError, RecursionError, MemoryError) as error:
            problem = str(error) if isinstance(error, InputError) else "nests too deeply"
            return lost_row(name, problem.removeprefix(f"{name}: "))
        return row | {"mined": len(row["tasks"]), "funnel": funnel.to_json(), "problem": problem}

    def _opened(self, name: str, folder: Path, stack: ExitStack) -> PackageSource:
        if is_repository(name):
            archive, commit = fetched(name, folder)
            package = stack.enter_context(open_package(archive))
            package.origin = commit.of(package.origin)
            return package
        path = Path(name) if is_path(name) else download(name, folder)
        return stack.enter_context(open_package(path))

    def _tests(
        self, name: str, package: PackageSource, stack: ExitStack, folder: Path, rejects: list[Row]
    ) -> PackageSource | None:
        """Open the archive of the same package that holds its tests, if it has none.

        One that is at hand, or that of the index where the package is from there.
        """
        if not self.settings.observe or has_tests(package):
            return None
        path = self.archives.get(package.name)
        try:
            if path is None and not is_repository(name) and not is_path(name):
                path = source_archive(package.name, package.version, folder)
            found = None if path is None else stack.enter_context(open_package(path))
        except InputError as error:
            rejects.append(not_fetched(package, error))
            return None
        return found if found is not None and found.version == package.version else None

    def _stubs(
        self, package: PackageSource, stack: ExitStack, folder: Path, rejects: list[Row]
    ) -> Iterator[PackageSource]:
        """Open what only declares a package's types, which it does not require.

        What is not at hand is fetched, if that is wanted and the package does not say its types.
        """
        is_typed = any(PurePosixPath(name).name == "py.typed" for name in package.data)
        is_wanted = self.settings.stubs and not is_typed
        for name in (f"types-{package.name}", f"{package.name}-stubs"):
            path = self.archives.get(name)
            try:
                if path is None and is_wanted:
                    path = download(name, folder, is_pure=True)
                if path is not None:
                    yield stack.enter_context(open_package(path))
                    return
            except InputError as error:
                if not is_absent(error):
                    rejects.append(not_fetched(package, error))

    def _companions(
        self, package: PackageSource, stack: ExitStack, folder: Path, rejects: list[Row]
    ) -> Iterator[PackageSource]:
        """Open the libraries a package requires, as far as they are at hand.

        What is required and is not is fetched into ``folder``, if that is wanted.
        """
        for own in self.folders:
            yield stack.enter_context(open_package(own))
        pending = required(package, OF_TESTS if self.settings.observe else ())
        seen = {package.name}
        count = 0
        while pending:
            name, wanted = pending.pop(0)
            if name in seen:
                continue
            seen.add(name)
            path = self.archives.get(name)
            if path is None and self.settings.with_deps and wanted is not None:
                count += 1
                try:
                    if count > MOST_FETCHED:
                        raise InputError(f"{wanted} is one of more than {MOST_FETCHED}")
                    path = download(wanted, folder, is_pure=True)
                    open_package(path).__exit__()
                except InputError as error:
                    rejects.append(not_fetched(package, error))
            if path is not None:
                library = stack.enter_context(open_package(path))
                pending += required(library)
                yield library


def not_fetched(package: PackageSource, error: InputError) -> Row:
    """Return the reject that says why something beside a package could not be had."""
    problem = Obstacle(NOT_FETCHED, str(error))
    return Reject(package.name, "*", "packages", NOT_FETCHED, (problem,)).to_json()


def lost_row(name: str, problem: str) -> dict[str, Any]:
    """Return the row of a package that could not be had or read, or not be mined to its end."""
    funnel = Funnel()
    funnel.add("packages")
    funnel.reject("packages", "cannot be had or read")
    reject = Reject(name, "*", "packages", "cannot be had or read", (Obstacle("", problem),))
    return {
        "package": name,
        "tasks": [],
        "rejects": [reject.to_json()],
        "seconds": {},
        "mined": 0,
        "sha256": "",
        "funnel": funnel.to_json(),
        "problem": problem,
    }


def is_path(name: str) -> bool:
    """Say whether a package is given by a path, not by its name on the index."""
    if is_repository(name):
        return False
    return "/" in name or name.endswith(ARCHIVES) or os.path.exists(name)


def archives_by_name(paths: list[Path]) -> dict[str, Path]:
    """Return distribution name -> archive for those paths whose names tell it."""
    found: dict[str, Path] = {}
    for path in paths:
        try:
            if path.suffix == ".whl":
                name = parse_wheel_filename(path.name)[0]
            else:
                name = parse_sdist_filename(path.name)[0]
        except (InvalidWheelFilename, InvalidSdistFilename):
            continue
        if path.is_file():
            found.setdefault(name, path)
    return found


def required(package: PackageSource, extras: Sequence[str] = ()) -> list[tuple[str, str | None]]:
    """Return what a package requires here: each name, and as pip is asked for it.

    What it requires for other ``extras`` is left out. None is asked for by an address of its own.
    """
    found: list[tuple[str, str | None]] = []
    for line in package.requires:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": each}) for each in ("", *extras)):
            wanted = f"{requirement.name}{requirement.specifier}"
            found.append((canonicalize_name(requirement.name), None if requirement.url else wanted))
    return found
