"""Mining many packages: in parallel, one package in memory at a time a worker, resumable.

A package's rows are appended to a journal when the package is done; a killed run goes on with the
packages that are missing. The files are written at the end, in the order of the packages asked
for, so that the number of workers shows nowhere.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.exe.selecting.funnel import Funnel
from evalplus_lite.exe.settings import MiningSettings
from evalplus_lite.exe.sources.archives import open_package
from evalplus_lite.exe.tasks.likeness import Earlier, Seen
from evalplus_lite.exe.work import is_path, lost_row
from evalplus_lite.execution.base import Backend, Call
from evalplus_lite.execution.job import Defect, Lost
from evalplus_lite.models import Client
from evalplus_lite.store import Journal, Row, read_jsonl, write_jsonl, write_text
from evalplus_lite.store.resuming import finished

AHEAD = 4
"""Packages that are begun or wait to be, a worker."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files of a run, beside each other: tasks, rejects, timings, funnel, and the journal."""

    tasks: Path

    def beside(self, kind: str) -> Path:
        """Return ``<tasks>.rejects.jsonl`` and the like."""
        stem = self.tasks.name.removesuffix(".gz").removesuffix(".jsonl")
        return self.tasks.with_name(f"{stem}.{kind}")


@dataclass(frozen=True, slots=True)
class PackageProgress:
    """One package is done (or was before): its name, its tasks, and how many are to come.

    ``problem``: why it could not be had or read. ``refused``: why nothing of it is taken.
    """

    package: str
    tasks: int
    left: int
    problem: str = ""
    refused: str = ""


@dataclass(slots=True)
class Campaign:
    """A run over packages: names on the index, archives or folders."""

    packages: Sequence[str]
    out: Outputs
    backend: Backend
    settings: MiningSettings = field(default_factory=MiningSettings)
    companions: Sequence[Path] = ()
    client: Client | None = None
    """Of the model that writes inputs, if one does."""
    report: Callable[[PackageProgress], None] = lambda progress: None
    force: bool = False
    """Whether what an earlier run left is dropped."""
    refresh: Earlier | None = None
    """Tasks whose functions are to have new inputs: nothing else is mined."""
    since: Earlier | None = None
    """Tasks that are left out of what is written, as programs of the same shape are."""
    only: Container[str] | None = None
    """Packages to mine; the journal alone is written then, for others to put together."""

    def run(self) -> Funnel:
        """Mine what is missing, write every file, return the funnel of all packages.

        A package that cannot be had or read is counted, with its reason, and does not end the run.
        """
        if not self.packages:
            raise InputError("no package was given", remedy="name one, or give a wheel or folder")
        path = self.out.beside("journal.jsonl")
        libraries = sorted(path.name for path in self.companions)
        identity = {"mining": 2, **asdict(self.settings), "with": libraries}
        names = list(dict.fromkeys(self.packages))
        if self.only is not None:
            names = [name for name in names if name in self.only]
        with Journal(path, identity=identity, force=self.force, batch=1) as journal:
            # What could not be had may be there by now; a file or folder may have changed.
            rows = {row[0]: row for row in finished(journal, _progress)}
            done = {
                package: (mined, refused)
                for package, mined, problem, content, refused in rows.values()
                if not problem and content == _content(package, content)
            }
            left = sum(name not in done for name in names)
            for name in names:
                if name in done:
                    mined, refused = done[name]
                    self.report(PackageProgress(name, mined, left, refused=refused))
            for row in self._rows([name for name in names if name not in done]):
                left -= 1
                journal.append(row)
                name, mined, problem = row["package"], row["mined"], row["problem"]
                self.report(PackageProgress(name, mined, left, problem, _refused(row)))
        return self._write(path) if self.only is None else Funnel()

    def _rows(self, names: list[str]) -> Iterator[dict[str, Any]]:
        """Yield packages' rows as they come: one that takes an hour holds up no other's."""
        settings = (
            asdict(self.settings),
            [str(path) for path in self.companions],
            list(self.packages),
            None if self.client is None else self.client.options,
            None if self.refresh is None else str(self.refresh.path),
        )
        call = Call("evalplus_lite.exe.work:mining", settings)
        left = iter(names)
        waiting: dict[Future[dict[str, Any]], str] = {}
        try:
            while True:
                for name in itertools.islice(left, AHEAD * self.backend.workers - len(waiting)):
                    waiting[self.backend.submit(call, name, then=dict)] = name
                if not waiting:
                    return
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    name = waiting.pop(future)
                    try:
                        row = future.result()
                    except (Lost, Defect) as error:
                        row = lost_row(name, str(error))
                    yield row
        finally:
            for future in waiting:
                future.cancel()

    def _write(self, journal: Path) -> Funnel:
        """Write tasks, rejects, timings and funnel from the journal, streaming."""
        order = {name: number for number, name in enumerate(dict.fromkeys(self.packages))}
        places: dict[int, int] = {}
        for row in read_jsonl(journal):
            if row.data.get("package") in order:
                places[order[row.data["package"]]] = row.line
        funnel = Funnel()

        def rows() -> Iterator[dict[str, Any]]:
            # One package's rows at a time, in the order asked for: few files need a second pass.
            wanted = [places[number] for number in sorted(places)]
            while wanted:
                before = len(wanted)
                for row in read_jsonl(journal):
                    if wanted and row.line == wanted[0]:
                        wanted.pop(0)
                        yield row.data
                if len(wanted) == before:
                    return

        seen = Seen()
        if self.since is not None:
            seen.earlier = dict(self.since.shapes())
        write_jsonl(self.out.tasks, (task for row in rows() for task in seen.new(row["tasks"])))
        rejects = (reject for row in rows() for reject in row["rejects"])
        write_jsonl(self.out.beside("rejects.jsonl"), itertools.chain(rejects, seen.rejects()))
        write_jsonl(
            self.out.beside("times.jsonl"),
            (
                {"task_id": task, "seconds": seconds}
                for row in rows()
                for task, seconds in row["seconds"].items()
            ),
        )
        for package in rows():
            funnel.merge(Funnel.from_json(package["funnel"]))
        seen.count_in(funnel)
        text = json.dumps(funnel.to_json(), indent=2)
        write_text(self.out.beside("funnel.json"), text + "\n")
        return funnel


def _progress(row: Row) -> tuple[str, int, str, str, str]:
    data = row.data
    mined = int(data["mined"])
    return data["package"], mined, data["problem"], data["sha256"], _refused(data)


def _refused(row: dict[str, Any]) -> str:
    """Return why a whole package was not taken, empty if it was."""
    # The funnel counts those that nothing is taken of; rejects also name what one goes without.
    found = [each["reason"] for each in row["funnel"]["rejects"] if each["stage"] == "packages"]
    return "" if row["problem"] or not found else str(found[0])


def _content(package: str, mined: str) -> str:
    """Return the hash of what a path leads to now; of a name what was ``mined``."""
    if not is_path(package):
        return mined
    try:
        with open_package(Path(package)) as found:
            return found.origin.sha256
    except InputError:  # which mining it will tell
        return ""
