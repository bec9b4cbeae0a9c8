"""The options of a run, which ``takes`` adds to commands; the start and end of every command."""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, cast, get_type_hints

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.app import typed
from evalplus_lite.cli.console import Screen, print_json, say
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.datasets import load_dataset
from evalplus_lite.jobs.session import Result, Session
from evalplus_lite.jobs.shards import Shard
from evalplus_lite.sandbox import Tier
from evalplus_lite.tasks import Dataset

SANDBOX = ("workers", "sandbox", "json")
"""Options of a command that runs programs on this machine."""
JOB = ("tasks", "backend", "require_tier", "package", "strict", *SANDBOX)
"""Options of a job on a dataset that may run on a cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The options of one run, in the order of the help; those that a command lacks have their
    defaults."""

    context: typer.Context
    tasks: options.Tasks = None
    seed: options.Seed = 0
    workers: options.Workers = None
    backend: options.Backend = "processes"
    require_tier: options.RequireTier = None
    sandbox: options.Sandbox = "auto"
    package: options.Packages = None
    force: options.Force = False
    strict: options.Strict = False
    shard: options.Shard = None
    json: options.Json = False
    quiet: options.Quiet = False

    @contextlib.contextmanager
    def started(self) -> Iterator[tuple[Session, Screen]]:
        """Yield a session, and the screen that shows its progress."""
        with (
            Screen(quiet=self.quiet) as screen,
            Session(
                workers=self.workers,
                sandbox=cast("Tier", self.sandbox),  # the session rejects an unknown tier
                packages=self.package or (),
                backend=self.backend,
                require_tier=cast("Tier | None", self.require_tier),
                on_progress=screen,
            ) as session,
        ):
            if self.sandbox == "none":
                screen.note("running without a sandbox: programs can read and write your files")
            yield session, screen

    def opened(self, name: str, session: Session) -> Dataset:
        """Return the dataset of ``--dataset`` and ``--tasks``."""
        session.pool()  # start its sandboxes while the dataset is read
        gc.disable()  # nothing read here becomes garbage, and collection takes a third of the time
        try:
            return load_dataset(name, tasks=self.tasks, session=session)
        finally:
            gc.freeze()
            gc.enable()

    def part(self) -> Shard | None:
        """Return the shard from ``--shard``, with its command."""
        return None if self.shard is None else Shard.parse(self.shard, command=typed.get())

    def refuse(self, names: str, problem: str) -> None:
        """Raise InputError if one of these parameters was given, as the chosen mode ignores it."""
        for each in self.context.command.params:
            source = self.context.get_parameter_source(each.name or "")
            is_typed = source is not None and source.name == "COMMANDLINE"
            if is_typed and each.name in names.split():
                raise InputError(f"{each.opts[0]} {problem}", remedy="leave one of the two out")

    def ended(
        self,
        result: Result | Mapping[str, Any],
        show: Callable[[], object],
        *,
        attention: Callable[[], object] = lambda: False,
        part_attention: object = False,
    ) -> int:
        """Print a result as JSON or with ``show``, and return the exit code.

        A shard has no result yet, so print how to merge it.
        """
        summary = result.summary if isinstance(result, Result) else result
        if self.json:
            print_json(summary)
        elif "shard" in summary:
            done = "shard {shard} is done: {items} of {of_items} tasks or packages, {rows} rows"
            say(done.format(**summary))
            say(f"when all shards are done: evalplus-lite merge {summary['out']}")
        else:
            show()
        return 1 if (part_attention if "shard" in summary else attention()) else 0


DEFAULTS = {each.name: each.default for each in fields(Run)}
OPTIONS = get_type_hints(Run, include_extras=True)


def takes(*names: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator that adds options of a run to a command, passed as one ``Run``.

    Every command also gets --quiet.
    """

    def decorated(function: Callable[..., int]) -> Callable[..., int]:
        taken = [name for name in DEFAULTS if name in (*names, "quiet")]

        @functools.wraps(function)
        def command(context: typer.Context, **given: Any) -> int:
            run = Run(context=context, **{name: given.pop(name) for name in taken})
            return function(run, **given)

        hints = get_type_hints(function, include_extras=True)
        own = list(inspect.signature(function).parameters.values())[1:]
        kinds = {each.name: hints[each.name] for each in own} | {n: OPTIONS[n] for n in taken}
        defaults = {each.name: each.default for each in own} | {n: DEFAULTS[n] for n in taken}
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [inspect.Parameter("context", keyword, annotation=typer.Context)]
        parameters += [
            inspect.Parameter(name, keyword, default=defaults[name], annotation=kind)
            for name, kind in kinds.items()
        ]
        command.__annotations__ = {"context": typer.Context, **kinds, "return": int}
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return command

    return decorated
