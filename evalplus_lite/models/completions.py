"""Sampling: draw a model's programs for each task, save them, and resume after a kill."""

from __future__ import annotations

import ast
import contextlib
import os
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from evalplus_lite.errors import InputError, LLMError, shown_path
from evalplus_lite.models import Message, ModelSource, RefusalError, Reply, Request, ServerError
from evalplus_lite.models.errors import TooLongError
from evalplus_lite.programs import parsing
from evalplus_lite.store import Journal, Row, read_jsonl, read_raw
from evalplus_lite.store.opening import opened
from evalplus_lite.store.reading import OWN_LINE, OWN_VALUES, NoRows
from evalplus_lite.types import Task

# Prompts for programs: an instruction, or the start of the program.


def precondition_words(contract: str) -> str | None:
    """Return the source of a contract's ``precondition``; None if it has none."""
    tree = parsing.tree_or_none(contract)
    for node in tree.body if tree else ():
        if isinstance(node, ast.FunctionDef) and node.name == "precondition":
            return ast.get_source_segment(contract, node)
    return None


def instruction(task: Task, shown: str | None = None) -> str:
    """Return the instruction for a chat model; ``shown`` is a precondition to include."""
    text = f"{_begin(task)} in one ```python block and nothing else.\n\n"
    if task.harness.kind == "script":
        text += f"{task.prompt.strip()}\n"
    else:
        text += f"```python\n{task.prompt.rstrip()}\n```\n"
    if shown is not None:
        text += (
            "\nEvery call fulfils this precondition, so the function need not check it:\n\n"
            f"```python\n{shown}\n```\n"
        )
    return text


def _begin(task: Task) -> str:
    if task.harness.kind == "script":
        return (
            "Write a whole Python program that solves this problem: it reads standard input and"
            " prints to standard output. Answer with the program"
        )
    if task.style == "completion":
        begin = "Complete this Python function."
    else:
        begin = f"Write the Python function {task.entry_point} that this text asks for."
    return f"{begin} Answer with the whole function"


def as_comment(shown: str | None) -> str:
    """Return the precondition as comments at the start of the body, which the model continues."""
    if shown is None:
        return ""
    lines = ["Every call fulfils this precondition:", *textwrap.dedent(shown).splitlines()]
    return "".join(f"    # {line}".rstrip() + "\n" for line in lines)


Extract: TypeAlias = Callable[[Task, str], str]
"""Extracts the program from a chat answer, with prose and fences, to a task."""

BEGIN = b'{"task_id":'
"""The first bytes of a file of drawn samples."""
MOST_FAILURES = 8
"""Consecutive failures of the server after which sampling stops."""
COMPLETION_STOP = (
    "\ndef ",
    "\nclass ",
    "\nif ",
    "\nprint",
    "\n#",
    "\n```",
    "\nassert ",
    "<|endoftext|>",
)
"""Stop strings at the end of a continued function: those of HumanEval's paper, and fences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """The samples to draw: ``count`` per task and temperature, but only one at 0 (greedy).

    ``endpoint`` is ``chat`` (an instruction with the task; the answer has a whole program) or
    ``completion`` (the model continues the prompt). ``contracts`` is ``shown`` to put the task's
    precondition into the prompt (EvalPlus paper, section 2.3). ``stop`` None means none for
    ``chat``, and ``COMPLETION_STOP`` for ``completion``.
    """

    count: int = 1
    temperatures: tuple[float, ...] = (0.2,)
    max_tokens: int = 512
    endpoint: Literal["chat", "completion"] = "chat"
    stop: tuple[str, ...] | None = None
    contracts: Literal["hidden", "shown"] = "hidden"

    def __post_init__(self) -> None:
        if self.count < 1 or self.max_tokens < 1:
            raise InputError("the number of samples and the token limit must be at least 1")
        if not self.temperatures or any(not 0 <= t <= 2 for t in self.temperatures):
            raise InputError(
                f"temperatures {list(self.temperatures)} cannot be used",
                remedy="give one or more, each from 0 to 2",
            )
        if len(set(self.temperatures)) < len(self.temperatures):
            raise InputError("a temperature is given twice", remedy="raise the number of samples")

    @property
    def per_task(self) -> int:
        """The number of samples per task."""
        return sum(1 if temperature == 0 else self.count for temperature in self.temperatures)


@dataclass(frozen=True, slots=True)
class Draw:
    """One sample to draw: number ``index`` of its task, with this request."""

    task: Task
    index: int
    request: Request


@dataclass(slots=True)
class SamplingResult:
    """The content of a file of samples, and the requests without an answer.

    ``new`` of the ``rows`` are from this run. ``failed`` requests got no usable answer, the first
    for the reason in ``problem``; those of the tasks in ``too_long`` exceed the model's context.
    Token counts cover all rows. Of these, ``cut`` ended at the token limit, ``refused`` were
    refused by the model or a filter, and ``empty`` have no program for another reason.
    """

    new: int = 0
    rows: int = 0
    failed: int = 0
    cut: int = 0
    refused: int = 0
    empty: int = 0
    problem: str = ""
    too_long: list[str] = field(default_factory=list)
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def count(self, row: Mapping[str, Any]) -> None:
        """Count a row."""
        self.rows += 1
        usage = row.get("usage", {})
        self.prompt_tokens += usage.get("prompt_tokens", 0)
        self.completion_tokens += usage.get("completion_tokens", 0)
        if row.get("finish") == "length":
            self.cut += 1
        elif row.get("finish") == "refused":
            self.refused += 1
        elif not str(row.get("solution", row.get("completion", ""))).strip():
            self.empty += 1

    @property
    def usable(self) -> int:
        """The number of rows with a complete answer."""
        return self.rows - self.cut - self.refused - self.empty


def draws(tasks: Iterable[Task], sampling: Sampling, *, model: str) -> Iterator[Draw]:
    """Yield the samples to draw, task by task; they depend only on the tasks' texts."""
    for task in tasks:
        index = 0
        for temperature in sampling.temperatures:
            for number in range(1 if temperature == 0 else sampling.count):
                request = _request(task, sampling, temperature, number, model)
                yield Draw(task, index, request)
                index += 1


def generate(
    tasks: Iterable[Task],
    source: ModelSource,
    sampling: Sampling,
    *,
    path: str | os.PathLike[str],
    extract: Extract,
    progress: Callable[[dict[str, Any]], None] | None = None,
    force: bool = False,
) -> SamplingResult:
    """Write a row to ``path`` for every requested sample, and return the result.

    Rows of an interrupted run are reused, and only missing ones are drawn; ``force`` drops them. A
    refused request gives a row with an empty program and the reason, which counts as a failed
    sample. A request without a usable answer gives no row: it is counted, and repeated by the next
    run. A request that is too long for the model gives no row either. ``progress`` is called with
    each new row. Raises InputError if the file was made with other settings, and LLMError if the
    server cannot be used at all, or failed ``MOST_FAILURES`` times in a row, not counting requests
    that are too long; the message has the number of saved samples.
    """
    drawn = SamplingResult()
    wanted = list(draws(tasks, sampling, model=source.model))
    if not force and os.path.isfile(path):
        _require_drawn(path)
    with Journal(path, force=force, batch=1) as journal:
        have = dict(_counted(row, path, drawn) for row in journal.rows())
        for draw in wanted:
            known = have.get((draw.task.id, draw.index))
            if known not in (None, draw.request.key):
                raise InputError(
                    f"sample {draw.index} of {draw.task.id} was drawn with another model, prompt or"
                    " settings",
                    path=path,
                    remedy="keep the same settings to resume, choose another output, or --force",
                )
        missing = [draw for draw in wanted if (draw.task.id, draw.index) not in have]

        def answer(draw: Draw) -> dict[str, Any] | ServerError | TooLongError:
            try:
                reply = source.ask(draw.request, cut_off="keep")
            except RefusalError as error:
                return _row(draw, sampling, Reply(text="", finish="refused"), extract) | {
                    "error": str(error)
                }
            except (ServerError, TooLongError) as error:
                return error
            return _row(draw, sampling, reply, extract)

        in_a_row = 0
        try:
            for draw, new in zip(missing, source.each(answer, missing), strict=True):
                if isinstance(new, dict):
                    in_a_row = 0
                    journal.append(new)
                    drawn.new += 1
                    drawn.count(new)
                    if progress is not None:
                        progress(new)
                    continue
                drawn.failed += 1
                drawn.problem = drawn.problem or str(new)
                if isinstance(new, TooLongError):  # the server works
                    if draw.task.id not in drawn.too_long:
                        drawn.too_long.append(draw.task.id)
                    continue
                in_a_row += 1
                if in_a_row >= MOST_FAILURES:
                    raise new
        except LLMError as error:
            saved = f"{drawn.rows} of {len(wanted)} samples are saved in {shown_path(path)}"
            raise LLMError(f"{error}; {saved}: run again to draw the rest") from None
    return drawn


def _require_drawn(path: str | os.PathLike[str]) -> None:
    """Raise InputError if a file holds other rows, before a journal cuts its last line."""
    with opened(path, packed=True) as file:
        whole = sum(line.endswith(b"\n") for line in file)
    if not BEGIN.startswith(read_raw(path, max_bytes=len(BEGIN))):
        whole = max(whole, 1)  # not a row of ours that a kill cut short

    def refuse(error: InputError) -> None:
        if error.line is None or error.line <= whole:
            raise error

    result = SamplingResult()
    with contextlib.suppress(NoRows):
        for row in read_jsonl(path, max_line=OWN_LINE, max_values=OWN_VALUES, on_fault=refuse):
            _counted(row, path, result)


def _counted(
    row: Row, path: str | os.PathLike[str], result: SamplingResult
) -> tuple[tuple[str, int], str]:
    """Count a row; return the sample's task and index, and its request's key."""
    try:
        drawn = (row.data["task_id"], row.data["index"]), row.data["prompt_hash"]
        result.count(row.data)
    except (KeyError, TypeError, AttributeError):
        raise InputError(
            "is not a row of drawn samples",
            path=path,
            line=row.line,
            remedy="choose another output",
        ) from None
    return drawn


def _request(
    task: Task, sampling: Sampling, temperature: float, number: int, model: str
) -> Request:
    shown = None
    if sampling.contracts == "shown" and task.contract is not None:
        shown = precondition_words(task.contract)
    request = Request(
        model=model,
        temperature=temperature,
        max_tokens=sampling.max_tokens,
        stop=sampling.stop or (),
        index=number,
    )
    if sampling.endpoint == "chat":
        return replace(request, messages=(Message("user", instruction(task, shown)),))
    stop = COMPLETION_STOP if sampling.stop is None else sampling.stop
    return replace(request, prompt=task.prompt + as_comment(shown), stop=stop)


def _row(draw: Draw, sampling: Sampling, reply: Reply, extract: Extract) -> dict[str, Any]:
    row: dict[str, Any] = {
        "task_id": draw.task.id,
        "index": draw.index,
        "model": draw.request.model,
        "temperature": draw.request.temperature,
    }
    if sampling.endpoint == "chat":
        row |= {"raw": reply.text, "solution": extract(draw.task, reply.text)}
    else:
        text = _before_stop(reply.text, draw.request.stop)
        name = "completion" if draw.task.style == "completion" else "solution"
        row |= {"raw": reply.text, name: text}
    return row | {
        "finish": reply.finish,
        "usage": {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
        },
        "date": reply.date,
        "prompt_hash": draw.request.key,
    }


def _before_stop(text: str, stop: tuple[str, ...]) -> str:
    """Return the text up to the first stop string, as some servers ignore them."""
    return text[: min((at for word in stop if (at := text.find(word)) >= 0), default=len(text))]
