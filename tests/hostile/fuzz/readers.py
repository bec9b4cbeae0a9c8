"""The parts of the project that read what others wrote, each behind one function of bytes.

A reader returns what became of the text in a word or two. What a person or a sample can cause is
an EvalPlusLiteError or a verdict; any other exception is a fault, and so is a Wrong, raised here
where the neighbours of a hostile text suffer from it.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random

from evalplus_lite.errors import InputError

from . import archives, documents, texts, wires
from .tokens import HONEST

Read = Callable[[bytes], str]
Open = Callable[[Path, ExitStack], Read]


class Wrong(Exception):
    """What stands beside a hostile text was read or judged otherwise than alone."""


@dataclass(frozen=True)
class Reader:
    """A part of the project: how it is made ready, and who writes texts for it.

    ``share`` is how many of a hundred texts of a campaign it gets; ``largest`` bounds a text, in
    bytes.
    """

    open: Open
    document: Callable[[Random], documents.Document]
    share: int
    largest: int = 1 << 20


def plain_text(random: Random) -> documents.Document:
    """A text of any shape, as UTF-8 that may hold half surrogate pairs."""
    shape = texts.shape(random)
    return lambda size: shape(size).encode("utf-8", "surrogatepass")


def _data_set(folder: Path) -> Path:
    """Write two tasks: one whose prompt is prose, and one whose prompt begins the function."""
    prompt = 'def add(a, b):\n    """Add two numbers."""\n'
    second = {**documents.TASK, "id": "Fuzz/1", "prompt": prompt, "style": "completion"}
    path = folder / "tasks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (documents.TASK, second)))
    return path


def _between(folder: Path, row: bytes) -> Path:
    """Write a sample file with a row between two right ones."""
    right = [json.dumps({"task_id": f"Fuzz/{n}", "solution": HONEST}) for n in (0, 1)]
    path = folder / "samples.jsonl"
    path.write_bytes(right[0].encode() + b"\n" + row + b"\n" + right[1].encode() + b"\n")
    return path


def _read_rows(folder: Path) -> Callable[[bytes], int]:
    from evalplus_lite.tasks import load_dataset
    from evalplus_lite.tasks.samples import Faults, read_samples

    dataset = load_dataset(_data_set(folder))

    def read(row: bytes) -> int:
        try:
            samples = list(read_samples(_between(folder, row), dataset, faults=Faults()))
        except InputError as error:
            raise Wrong(f"one row ends the reading of all: {error}") from None
        for sample in (samples[0], samples[-1]):
            if sample.source != HONEST:
                raise Wrong(f"a right program was read as {sample.source[:200]!r}")
        return len(samples)

    return read


def open_answer(folder: Path, stack: ExitStack) -> Read:
    """Sample files: a model's answer, from which a program is extracted."""
    read_rows = _read_rows(folder)

    def read(data: bytes) -> str:
        chosen = zlib.crc32(data)
        row = {
            "task_id": f"Fuzz/{chosen & 1}",
            ("solution", "completion")[chosen >> 1 & 1]: data.decode("utf-8", "surrogatepass"),
        }
        count = read_rows(json.dumps(row).encode())
        if count != 3:
            raise Wrong(f"{count} of 3 samples were read")
        return "read"

    return read


def open_row(folder: Path, stack: ExitStack) -> Read:
    """Sample files: a row of any form."""
    read_rows = _read_rows(folder)
    return lambda data: f"read {min(3, read_rows(data))}"


def open_judge(folder: Path, stack: ExitStack) -> Read:
    """The Verifier: an answer is judged, and a right program after it."""
    from evalplus_lite import Verifier

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that these tasks have no plus inputs
        verifier = stack.enter_context(Verifier(_data_set(folder), workers=1, chat=True))

    def read(data: bytes) -> str:
        text = data.decode("utf-8", "surrogatepass")
        task_id = f"Fuzz/{zlib.crc32(data) & 1}"
        try:
            return verifier.verify(task_id, text).base
        finally:
            found = verifier.verify("Fuzz/0", HONEST)
            if found.base != "pass":
                raise Wrong(f"the right program after it: {found}")

    return read


def open_task(folder: Path, stack: ExitStack) -> Read:
    """Files of one's own tasks."""
    from evalplus_lite.tasks import load_dataset

    def read(data: bytes) -> str:
        path = folder / "own.jsonl"
        path.write_bytes(json.dumps({**documents.TASK, "id": "before"}).encode() + b"\n" + data)
        return f"read {len(load_dataset(path).tasks)}"

    return read


def open_suite(folder: Path, stack: ExitStack) -> Read:
    """Suite files, and the exports of what was read."""
    from evalplus_lite.reports.exporters.suites import (
        Card,
        ExportedTask,
        write_evalplus,
        write_huggingface,
        write_humaneval,
        write_pytest,
    )
    from evalplus_lite.tasks import load_dataset

    numbers = itertools.count()

    def read(data: bytes) -> str:
        path = folder / "suite.jsonl"
        path.write_bytes(data)
        dataset = load_dataset(path)
        entries = [ExportedTask(task, dataset.suites[task.id]) for task in dataset.tasks]
        out = folder / str(next(numbers))
        out.mkdir()
        write_evalplus(out / "evalplus.jsonl", entries)
        write_humaneval(out / "humaneval.jsonl", entries)
        write_pytest(out / "pytest", entries)
        write_huggingface(out / "hf", entries, Card("x", "mit"))
        return "exported"

    return read


def open_reply(folder: Path, stack: ExitStack) -> Read:
    """The client of a model's server."""
    from evalplus_lite.models import Client, Message, Request

    from .server import Server

    server = stack.enter_context(Server())
    client = Client("m", base_url=server.url, api_key="k", timeout=2.0, retries=0)
    request = Request(model="m", messages=(Message("user", "hello"),))

    def read(data: bytes) -> str:
        server.says(data)
        reply = client.ask(request, cut_off="keep")
        json.dumps(reply.to_json()).encode()
        if not isinstance(reply.text, str) or not isinstance(reply.prompt_tokens, int):
            raise Wrong(f"a reply of odd types: {reply!r:.200}")
        return "read"

    return read


def open_archive(folder: Path, stack: ExitStack) -> Read:
    """Packages to mine: wheels and source archives, opened and read."""
    from evalplus_lite.exe.sources import open_package

    def read(data: bytes) -> str:
        ending, _, content = data.partition(b"\n")
        path = folder / f"toy-1{ending.decode()}"
        path.write_bytes(content)
        with open_package(path) as package:
            for file in package.files.values():
                with contextlib.suppress(ValueError):
                    package.text(file)
        return "read"

    return read


def open_model_text(folder: Path, stack: ExitStack) -> Read:
    """What a model wrote when it was asked for inputs."""
    from evalplus_lite.models.json_form import InputForm, read_answer
    from evalplus_lite.tasks import load_dataset

    form = InputForm.of(load_dataset(_data_set(folder)).tasks[0])

    def read(data: bytes) -> str:
        text = data.decode("utf-8", "surrogatepass")
        if zlib.crc32(data) % 2:
            text = f'{{"inputs": [{text}]}}'
        read_answer(text, form, entry_point="add")
        return "read"

    return read


def open_answer_value(folder: Path, stack: ExitStack) -> Read:
    """The comparison: what a program's process sends, with the right answer."""
    from evalplus_lite.grading.observer import explain, judge
    from evalplus_lite.types import Returned, Rule

    def read(data: bytes) -> str:
        name, expected, given = wires.parts(data)
        rule = Rule(name)  # type: ignore[arg-type]
        verdict = judge(Returned(given), expected, rule)
        if judge(Returned(expected), expected, rule) != "pass":
            raise Wrong("the expected answer itself does not pass")
        text = explain(0, verdict, Returned(given), expected).detail
        if len(text) > 2000:
            raise Wrong(f"a detail of {len(text)} characters")
        return verdict

    return read


def open_output(folder: Path, stack: ExitStack) -> Read:
    """Outputs as text, judged without a run."""
    from evalplus_lite import verify_code_execution

    def read(data: bytes) -> str:
        text = data.decode("utf-8", "surrogatepass")
        expected = (text[:-1] + "0", "12", f" {text}\n", f"{text}.0")[zlib.crc32(data) & 3]
        tests = [
            {"expected": expected, "actual": actual, "status": "success"}
            for actual in (text, expected)
        ]
        found = verify_code_execution(tests)["verdicts"]
        if found[1] != "pass":
            raise Wrong("an output is not equal to itself")
        return str(found[0])

    return read


READERS = {
    "answer": Reader(open_answer, plain_text, 36),
    "row": Reader(open_row, documents.row, 12),
    "judge": Reader(open_judge, plain_text, 4),
    "task": Reader(open_task, documents.own_task, 8),
    "suite": Reader(open_suite, documents.suite, 8),
    "reply": Reader(open_reply, documents.reply, 8),
    "archive": Reader(open_archive, archives.archive, 6),
    "model text": Reader(open_model_text, plain_text, 8),
    "value": Reader(open_answer_value, wires.answer, 8, largest=10 << 20),
    "output": Reader(open_output, plain_text, 2, largest=4 << 20),
}


@contextlib.contextmanager
def opened(name: str, folder: Path) -> Iterator[Read]:
    """Make a reader ready: warm, and with a folder of its own."""
    os.environ["EVALPLUS_LITE_CACHE"] = str(folder / "cache")
    with ExitStack() as stack:
        yield READERS[name].open(folder, stack)
