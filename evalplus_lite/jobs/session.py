"""Sessions with shared sandboxes, cache and progress; and the base class of jobs' results."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from evalplus_lite.errors import InputError
from evalplus_lite.execution.processes import DEFAULT, Processes, check_workers, make_backend
from evalplus_lite.jobs.tables import LAYOUTS, Table
from evalplus_lite.sandbox import Tier, config_of
from evalplus_lite.store import cache_folder, write_text
from evalplus_lite.store.locations import local_folder
from evalplus_lite.store.locks import Lock
from evalplus_lite.version import __version__

VERSIONS: Mapping[str, str] = {
    "version": __version__,
    "python": f"{sys.version_info.major}.{sys.version_info.minor}",
}
"""Our version, and the part of Python's, that rows may depend on."""

# Results of jobs: frozen records that are written as JSON, and have rows for data frames.


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a job; ``summary`` is the content of its JSON file and of ``--json``."""

    summary: Mapping[str, Any]
    kind: ClassVar[str] = ""

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain data (docs/schemas/outputs.schema.json)."""
        plain: dict[str, Any] = json.loads(self.to_json_text())  # lists where there are tuples
        return plain

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of its table as dicts, for ``pandas.DataFrame``."""
        raise NotImplementedError

    def tables(self) -> list[Table]:
        """Return its tables, for commands, pages and papers."""
        layout = LAYOUTS.get(self.kind)
        return [] if layout is None else list(layout(self.summary))

    @property
    def unusable(self) -> list[dict[str, str]]:
        """The unusable tasks, with ``task_id``, ``cause`` and ``detail``."""
        return list(self.summary["unusable"])

    def write_summary(self, path: Path) -> None:
        """Write the summary to a file."""
        write_text(path, self.to_json_text())

    def to_json_text(self) -> str:
        """Return the summary as the text of a JSON file."""
        return json.dumps(dict(self.summary), indent=2) + "\n"


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """Progress of a job: ``done`` of ``total`` steps of its ``stage`` (None: unknown).

    ``note`` is a line for the user; the other fields have not changed then. ``counts`` are the
    results of the steps so far, if a job counts them: samples by verdict. ``known`` means that the
    latest steps were done by an earlier run.
    """

    stage: str = ""
    done: int = 0
    total: int | None = None
    note: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    known: bool = False


class Session:
    """Workers, sandbox, cache and progress for several jobs; a context manager.

        with Session(workers=4) as session:
            data = load_dataset("tasks.jsonl", session=session)
            result = evaluate(data, "samples.jsonl", session=session)

    ``workers`` is the number of sandboxes (default: one per processor), ``sandbox`` the isolation
    tier (``auto``, ``namespaces``, ``landlock``, or ``none``, which accepts the risk), and
    ``packages`` are installed packages that programs may import in addition to numpy. ``cache`` is
    a folder for computed files: None is the default (EVALPLUS_LITE_CACHE), False disables it.
    ``backend`` is ``processes`` for this machine, or ``ray`` (``ray:HOST:PORT``) for the
    processors of a cluster, where ``require_tier`` excludes nodes with weaker sandboxes.
    ``on_progress`` is called with a ``ProgressEvent`` for every step.

    Sandboxes start when a job first needs them, and end with the session. Several threads may use
    one session. Raises InputError for an option that cannot be used.
    """

    def __init__(
        self,
        *,
        workers: int | None = None,
        sandbox: Tier = "auto",
        packages: Sequence[str] = (),
        cache: str | os.PathLike[str] | Literal[False] | None = None,
        backend: str = DEFAULT,
        require_tier: Tier | None = None,
        on_progress: Callable[[ProgressEvent], None] | None = None,
    ) -> None:
        self.workers = check_workers(workers)
        self.config = config_of(sandbox, packages)
        self._backend = make_backend(backend, workers, self.config, require_tier=require_tier)
        self.cache = None if cache is False else Path(cache) if cache else cache_folder()
        self._on_progress = on_progress
        self._pool: Processes | None = None
        self._event = ProgressEvent()
        self._is_closed = False
        self._lock, self._reporting = Lock(), Lock()
        # By default, Hypothesis would write its tables to the current folder.
        tables = str((self.cache or cache_folder()) / "hypothesis")
        os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", tables)

    def pool(self) -> Processes:
        """Return the worker processes, started on first use; raise InputError after ``close``."""
        with self._lock:
            if self._is_closed:
                raise InputError("the session is closed", remedy="make another")
            # Starting them costs a second, which a job with everything in the cache can avoid.
            if self._pool is None:
                self._pool = self._backend.__enter__()
                self.workers = self._pool.workers
            return self._pool

    @property
    def facts(self) -> dict[str, Any]:
        """Facts that rows of jobs depend on besides data and settings: versions and packages."""
        return {**VERSIONS, "packages": sorted({*self.config.packages})}

    def close(self, *, now: bool = False) -> None:
        """End all sandboxes; with ``now``, even if programs are still running."""
        with self._lock:
            self._is_closed = True
            # Close outside the lock: programs may run to their end, and other threads must not
            # wait for that.
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close(now=now)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        # After an error, do not wait for running programs.
        self.close(now=details[0] is not None)

    def stage(self, name: str, total: int | None) -> None:
        """Report the start of a stage with ``total`` steps (None: unknown)."""
        with self._reporting:
            self._report(ProgressEvent(name, 0, total))

    def advance(
        self, steps: int = 1, *, counts: Mapping[str, int] | None = None, known: bool = False
    ) -> None:
        """Report that ``steps`` more steps of the stage are done, ``known`` if by an earlier run.

        ``counts`` are the results of all steps so far, such as verdicts. Any thread may call this,
        but ``on_progress`` is never called concurrently.
        """
        # Counts without new steps are only reported after the first step.
        if steps or (counts and self._event.done):
            with self._reporting:
                done, latest = self._event.done + steps, dict(counts or {})
                self._report(replace(self._event, done=done, counts=latest, known=known))

    def note(self, text: str) -> None:
        """Report a line for the user."""
        with self._reporting:
            if self._on_progress is not None:
                self._on_progress(replace(self._event, note=text))

    def _report(self, event: ProgressEvent) -> None:
        self._event = event
        if self._on_progress is not None:
            self._on_progress(event)


@contextlib.contextmanager
def within(session: Session | None) -> Iterator[Session]:
    """Yield the given session and leave it open, or yield a new one and close it."""
    if session is not None:
        yield session
        return
    with Session() as own:
        yield own


def keep_inputs(
    outs: Mapping[str, str | os.PathLike[str] | None], inputs: Mapping[str, object]
) -> None:
    """Raise InputError if an output file would overwrite an input or another output.

    Files are compared by name; ``inputs`` that are not paths are ignored.
    """
    # By the real path, as a link to an input is the input.
    taken = {
        os.path.realpath(path): name
        for name, path in inputs.items()
        if isinstance(path, str | os.PathLike)
    }
    for name, out in outs.items():
        if out is None:
            continue
        place = os.path.realpath(out)
        if place in taken:
            raise InputError(
                f"is the {name}, and the {taken[place]}",
                path=out,
                remedy=f"choose another file: the {taken[place]} would be lost",
            )
        taken[place] = name


def made_folder(out: str | os.PathLike[str]) -> Path:
    """Return the folder for results, created if missing; raise InputError if that fails."""
    folder = local_folder(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot be made: {error.strerror}", path=folder, remedy="give another --out"
        ) from None
    return folder
