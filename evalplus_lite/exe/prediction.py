"""Execution prediction: a model is given a program and a call, and answers a value or an exception.

Nothing that a model writes is executed: answers are parsed as JSON and stored as data.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.exe.benchmark import located
from evalplus_lite.exe.running.runs import CallResult, Invocation, normal
from evalplus_lite.exe.tasks.forms import SkippedRow, read_any_tasks
from evalplus_lite.exe.tasks.mined import ERROR, PREDICTION, MinedTask, TaskCase, problem
from evalplus_lite.exe.tasks.worth import check_tags
from evalplus_lite.jobs.datasets import file_facts, run_facts
from evalplus_lite.jobs.session import Result, Session, keep_inputs, within
from evalplus_lite.jobs.shards import Shard, share_of
from evalplus_lite.models import Client, Message, ModelSource
from evalplus_lite.models.dialogue import Dialogue
from evalplus_lite.models.json_form import json_objects
from evalplus_lite.programs import parsing
from evalplus_lite.store import Row, read_jsonl
from evalplus_lite.store.journal import finished, open_rows
from evalplus_lite.store.parsing import nests_deeper
from evalplus_lite.values.source import value_of

DIRECT = "Answer with one JSON object and nothing else"
"""The instruction in a prompt that ``REASONED`` replaces if the model should reason first."""
REASONED = (
    "Think step by step: follow the run in words first. Then end your answer with one JSON object"
)
PROMPT = """A Python {python} program follows, and a call that is made once, in a fresh process. \
Work out what comes of the call, without running it. Answer with one JSON object and nothing else \
(Python's literals in it are read as well):
- If it raises an exception, write the name of its class and its message under "error". \
KeyError('k') is written {{"error": {{"type": "KeyError", "message": "'k'"}}}}.
- If it returns a value, as most calls do, write that under "value", tuples and sets as lists. \
('ab', None) is written {{"value": ["ab", null]}}.
{forms}

<program>
{code}
</program>
<call>
{call}
</call>
Its arguments as JSON (tuples and sets are lists here): {arguments}
What comes of this call?"""
STATE_PROMPT = """Work out what this Python {python} program does, without running it.

<program>
{code}
</program>

It is called once, in a fresh process:
<call>
{call}
</call>
It is stopped just before this line (line {line} of the program) runs for the {hit}. time:
<line>
{text}
</line>
What do the local variables {variables} hold at that moment? Answer with one JSON object and \
nothing else, tuples and sets as lists. For variables n and names it could be:
{{"value": {{"n": 3, "names": ["ab", null]}}}}
{forms}
"""
FORMS = """\
What JSON has no form for: bytes as text, a character a byte (b'a\\xff' is "a\\u00ff"); dates and \
times as text in ISO form ("2024-02-29T12:30:00"); time differences, decimals, fractions and paths \
as the text that str() gives; a member of an enumeration as class and name ("Color.RED"), of an \
IntEnum or an enumeration of text as its value; an object of a class of the program as an object \
of its public attributes, a named tuple as a list; "NaN", "Infinity" and "-Infinity"; complex \
numbers as [real, imaginary]; keys that are no text as the text of their JSON: \
{1: 'a', (2, None): 'b'} is {"1": "a", "[2, null]": "b"}. Equal numbers are alike: 2.0 is 2."""
RETRY = """That answer could not be read: {problem}
Answer again with one JSON object only, either {{"value": ...}} or \
{{"error": {{"type": "...", "message": "..."}}}}."""


EXAMPLES = (
    ("def cut(text: str, size: int) -> str:\n    return text[:size] + '...'\n", "cut",
     Invocation(("sunflower", 3)), {"value": "sun..."}),
    ("def first(items: list[int]) -> int:\n    if not items:\n        raise ValueError('none')\n"
     "    return items[0]\n", "first", Invocation(([],)),
     {"error": {"type": "ValueError", "message": "none"}}),
    ("def is_even(number: int) -> bool:\n    return number % 2 == 0\n", "is_even",
     Invocation((7,)), {"value": False}),
)  # fmt: skip
"""Programs, calls and answers to show to small models before the question."""


def worked_examples(python: str) -> list[Message]:
    """Return the examples as conversation turns, the same for every question."""
    turns: list[Message] = []
    for code, name, call, answer in EXAMPLES:
        task = MinedTask(f"example/{name}", code, name, (), {"python": python})
        case = TaskCase(call, CallResult("value", value=answer.get("value")))
        turns.append(Message("user", question(task, case)))
        turns.append(Message("assistant", json.dumps(answer)))
    return turns


def wording(*, cot: bool = False) -> str:
    """Return a fingerprint of the prompts, because predictions depend on their wording."""
    text = "\n".join([PROMPT, STATE_PROMPT, FORMS, RETRY, *([REASONED] if cot else [])])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def question(task: MinedTask, case: TaskCase, *, cot: bool = False) -> str:
    """Return the prompt for a case, which asks for reasoning first if ``cot`` is true."""
    stop = task.facts.get("breakpoint", {})
    words: dict[str, object] = {
        **stop,
        "variables": ", ".join(stop.get("variables", ())),
        "python": str(task.facts.get("python", "3")),
        "name": task.entry_point,
        "code": task.code,
        "forms": FORMS,
        "call": case.written(task.entry_point),
    }
    if not stop:
        arguments = normal([list(case.call.args), dict(case.call.kwargs)])
        shown = json.dumps(arguments, ensure_ascii=False)
        words["arguments"] = "as the call has them" if case.source else shown
    prompt = STATE_PROMPT if stop else PROMPT
    return (prompt.replace(DIRECT, REASONED) if cot else prompt).format_map(words)


def question_digest(task: MinedTask, case: TaskCase) -> str:
    """Return a digest (16 hex digits) of program, input and breakpoint, not of the wording."""
    given = case.source or case.call.key
    stop = task.facts.get("breakpoint")
    asked = json.dumps(["output", task.code, task.entry_point, given, stop], sort_keys=True)
    return hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:16]


DEEPEST = 200
"""Maximum nesting of an answer; no function's result is deeper."""


def parse_answer(text: str) -> dict[str, Any]:
    """Return the JSON answer in a model's text; raise ValueError with the problem if there is none.

    The last JSON object with a ``value`` or an ``error`` counts, so reasoning may come first.
    """
    problems: list[str] = []
    objects = list(json_objects(text, constant=str, problems=problems))
    said = [tree for tree in objects if "value" in tree or "error" in tree]
    readable = [tree for tree in said if "value" in tree or isinstance(tree["error"], dict | str)]
    answers = readable or said or _literals(text)
    if not answers:
        if objects:
            raise ValueError('the object has neither "value" nor "error"')
        raise ValueError(
            f"it is no JSON: {problems[-1]}" if problems else "it holds no JSON object"
        )
    found = answers[-1]
    if nests_deeper(found, DEEPEST + 1):
        raise ValueError(f"it nests deeper than {DEEPEST} levels")
    has_error = isinstance(found.get("error"), dict)
    if "value" in found and not (found["value"] is None and has_error):
        return {"value": found["value"]}
    error = found["error"]
    if isinstance(error, str):
        kind, _, message = error.partition(":")
        return {"error": {"type": kind.strip(), "message": message.strip()}}
    if not isinstance(error, dict) or not isinstance(error.get("type"), str):
        raise ValueError('"error" must hold "type" and "message"')
    return {"error": {"type": error["type"], "message": str(error.get("message") or "")}}


def _literals(text: str) -> list[dict[str, Any]]:
    """Return the last answer written as a Python literal, in JSON form; an empty list if none."""
    text = text[-LONGEST_LITERAL:]
    starts = [match.start() for match in _ANSWER.finditer(text)]
    for start in reversed(starts[-MOST_LITERALS:]):
        ends = [at for at in range(start, len(text)) if text[at] == "}"]
        for end in reversed(ends[-MOST_LITERALS:]):
            try:
                found = normal(value_of(parsing.parse(text[start : end + 1], mode="eval").body))
            except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
                continue
            if isinstance(found, dict) and ("value" in found or isinstance(found["error"], dict)):
                return [found]
    return []


LONGEST_LITERAL, MOST_LITERALS = 20_000, 5
"""Characters at the end of a reply to search for a literal, and positions to try there."""
_ANSWER = re.compile(r"\{\s*['\"](?:value|error)['\"]\s*:")


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model's prediction for one case.

    ``answer`` is ``{"value": ...}``, ``{"error": ...}``, ``{"python": "..."}`` (an expression for
    the value) or None if neither the first reply nor the retry could be read; ``problem`` says
    why.
    """

    task_id: str
    case: int
    sample: int
    answer: dict[str, Any] | None
    problem: str = ""
    retried: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0
    question: str = ""
    """The ``question_digest`` of the question; empty if it was not recorded."""
    replies: tuple[str, ...] = ()
    """The model's replies, verbatim: the first one, and the one to the retry."""
    unasked: bool = False
    """Whether the question was too long for the model, or rejected by its server."""

    def to_json(self) -> dict[str, Any]:
        """Return the row of a predictions file."""
        tokens = {"prompt": self.prompt_tokens, "completion": self.completion_tokens}
        row: dict[str, Any] = {
            "task_id": self.task_id,
            "case": self.case,
            "sample": self.sample,
            "prediction": self.answer,
            "answer_tokens": {**tokens, "total": sum(tokens.values())},
        }
        row |= {name: value for name in _OPTIONAL if (value := getattr(self, name))}
        return row | ({"replies": list(self.replies)} if self.replies else {})

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Prediction:
        """Read the output of ``to_json``."""
        if wrong := problem(row, PREDICTION):
            raise TypeError(wrong)
        tokens, answer = row.get("answer_tokens", {}), row["prediction"]
        if min(row["case"], row.get("sample", 0)) < 0:
            raise TypeError("case and sample count from 0")
        if answer and "error" in answer and (wrong := problem(answer["error"], ERROR, "error")):
            raise TypeError(wrong)
        try:
            json.dumps(answer, allow_nan=False)
        except ValueError:  # a bare NaN: convert it as in a model's answer
            answer = json.loads(json.dumps(answer), parse_constant=str)
        return cls(
            row["task_id"],
            row["case"],
            row.get("sample", 0),
            answer,
            prompt_tokens=int(tokens.get("prompt", 0)),
            completion_tokens=int(tokens.get("completion", 0)),
            replies=tuple(row.get("replies", ())),
            **{name: kind(row.get(name, kind())) for name, kind in _OPTIONAL.items()},
        )


_OPTIONAL: Mapping[str, Any] = {"retried": bool, "problem": str, "unasked": bool, "question": str}
"""Fields that a row omits if they are false or empty."""


@dataclass(frozen=True, slots=True)
class PredictionSettings:
    """Settings of requests: ``samples`` per case, ``temperature``, ``max_tokens`` per answer."""

    samples: int = 1
    temperature: float = 0.0
    max_tokens: int = 1024
    examples: bool = False
    """Whether to show three worked examples first, for small models."""
    cot: bool = False
    """Whether to ask the model to reason step by step before it answers."""

    def __post_init__(self) -> None:
        if self.samples < 1 or self.max_tokens < 1:
            raise InputError("the number of answers and the token limit must be at least 1")
        if self.cot and self.examples:
            raise InputError(
                "--cot leaves room for reasoning; --examples does not",
                remedy="leave one of them out",
            )
        if not 0 <= self.temperature <= 2:
            raise InputError(f"a temperature of {self.temperature}", remedy="give one from 0 to 2")
        if self.samples > 1 and self.temperature == 0:
            raise InputError(
                f"{self.samples} answers a case at temperature 0, which are all the same",
                remedy="give a higher temperature, or ask once",
            )


Asked: TypeAlias = tuple[MinedTask, int, int]
"""A task, the index of a case, and the index of the sample."""


def ask(asked: Asked, source: ModelSource, asking: PredictionSettings) -> Prediction:
    """Ask one question; if the answer cannot be read, ask once more with the parse error."""
    task, number, sample = asked
    case = task.cases[number]
    talk = Dialogue(
        source=source,
        temperature=asking.temperature,
        max_tokens=asking.max_tokens,
        messages=worked_examples(str(task.facts.get("python", "3"))) if asking.examples else [],
    )
    text, problem = question(task, case, cot=asking.cot), ""
    answer: dict[str, Any] | None = None
    replies: list[str] = []
    while answer is None and len(replies) < 2:
        reply = talk.ask(text, index=sample)
        if reply is None:
            problem = talk.problem
            break
        replies.append(reply.text.encode("utf-8", "backslashreplace").decode())
        try:
            answer, problem = parse_answer(reply.text), ""
        except ValueError as error:
            problem = str(error)
            text = RETRY.format(problem=problem)
    return Prediction(
        task.id,
        number,
        sample,
        answer,
        problem,
        len(replies) > (answer is not None),  # each unreadable reply caused a retry
        talk.prompt_tokens,
        talk.completion_tokens,
        question=question_digest(task, case),
        replies=tuple(replies),
        unasked=not talk.requests,
    )


def answer_all(
    tasks: Iterable[MinedTask],
    source: ModelSource,
    out: Path | None,
    *,
    asking: PredictionSettings = PredictionSettings(),
    report: Callable[[Prediction], None] = lambda prediction: None,
    force: bool = False,
) -> int:
    """Ask every question not yet answered in ``out``; return the number asked now.

    ``out`` is a journal: a killed run resumes. Another model or other settings are rejected, unless
    ``force`` discards its rows. With None, nothing is written.
    """
    identity = {
        "predictions": 1,
        "prompt": wording(cot=asking.cot),
        "model": source.model,
        "temperature": asking.temperature,
        "max_tokens": asking.max_tokens,
        "examples": asking.examples,
        **({"cot": True} if asking.cot else {}),
    }
    with open_rows(out, identity=identity, force=force, batch=1) as journal:
        done = dict(finished(journal, _known))
        left: list[Asked] = []
        for task in tasks:
            for case, sample in itertools.product(range(len(task.cases)), range(asking.samples)):
                answered = done.get((task.id, case, sample))
                if answered and answered != question_digest(task, task.cases[case]):
                    raise InputError(
                        f"answers another question for {task.id!r}, case {case}: the tasks have"
                        " changed since",
                        path=out,
                        remedy="choose another output, or --force to ask all again",
                    )
                if answered is None:
                    left.append((task, case, sample))
        for prediction in source.each(lambda each: ask(each, source, asking), left):
            journal.append(prediction.to_json())
            report(prediction)
    return len(left)


def _known(row: Row) -> tuple[tuple[str, int, int], str]:
    """Return a row's task, case and sample, and its question digest."""
    data = row.data
    asked = str(data["task_id"]), int(data["case"]), int(data["sample"])
    return asked, str(data.get("question", ""))


@dataclass(frozen=True, slots=True)
class PredictionResult(Result):
    """A model's predictions for every case."""

    predictions: tuple[Prediction, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row per prediction: ``task_id``, ``case``, ``sample``, ``prediction``, ..."""
        return [each.to_json() for each in self.predictions]


def predict(
    tasks: str | os.PathLike[str] | Iterable[MinedTask],
    client: Client,
    *,
    asking: PredictionSettings = PredictionSettings(),
    cases: int | None = None,
    limit: int | None = None,
    without: Collection[str] = (),
    tagged: Collection[str] = (),
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    shard: Shard | str | None = None,
    session: Session | None = None,
) -> PredictionResult:
    """Ask a model for the value or exception of every case.

        client = Client("my-model", base_url="http://localhost:8000/v1")
        result = predict("out/mined/tasks.jsonl", client, out="out/predictions.jsonl")
        score("out/mined/tasks.jsonl", result.predictions)

    ``tasks`` is a file of mined tasks or of CRUXEval, or an iterable of tasks. Of those that have
    cases, all tags in ``tagged`` and none in ``without``, the first ``limit`` are used, and the
    first ``cases`` of each. Nothing that the model writes is executed. Answers are appended to the
    file ``out``, and the same call resumes there. ``shard``, such as ``"2/4"``, asks about a part
    of the tasks, for ``merge``. Raise LLMError if the server fails, InputError for an unknown tag.
    """
    check_tags([*without, *tagged])
    keep_inputs({"output": out}, {"tasks": tasks})
    left_out: list[SkippedRow] = []
    if isinstance(tasks, str | os.PathLike):
        given: Iterable[MinedTask] = read_any_tasks(tasks, left_out=left_out)
    else:
        given = tasks
    chosen = (
        task
        for task in given
        if task.cases and not {*without} & task.marks and {*tagged} <= task.marks
    )
    listed = [replace(task, cases=task.cases[:cases]) for task in itertools.islice(chosen, limit)]
    path = None if out is None else Path(out)
    share = share_of(
        shard, path, kind="predict", journal="" if path is None else path.name, kept="beside"
    )
    if share is not None:
        questions = [question_digest(task, case) for task in listed for case in task.cases]
        digest = hashlib.sha256("".join(questions).encode())
        share.plan(
            {task.id: len(task.cases) for task in listed},
            facts={"model": client.model, **asdict(asking), "programs": digest.hexdigest()[:32]},
            force=force,
        )
        listed, path = [task for task in listed if task.id in share.items], share.out
    found: list[Prediction] = []
    with within(session) as opened:
        opened.stage("predict", asking.samples * sum(len(task.cases) for task in listed))

        def report(prediction: Prediction) -> None:
            found.append(prediction)
            opened.advance()

        asked = answer_all(listed, client, path, asking=asking, report=report, force=force)
    if path is not None and path.stat().st_size:
        found = [Prediction.from_json(row.data) for row in read_jsonl(path)]
    predictions = tuple(found)
    summary = {
        **(share.end() if share is not None and share.is_part else {}),
        "run": run_facts(tasks=facts_of(tasks), model=client.model),
        "asking": asdict(asking),
        "asked": asked,
        "unasked": sum(each.unasked for each in predictions),
        "predictions": None if path is None else str(path),
        "tokens": {
            "prompt": sum(each.prompt_tokens for each in predictions),
            "completion": sum(each.completion_tokens for each in predictions),
        },
        "usage": asdict(client.usage),
        **({"left_out": [*map(asdict, left_out)]} if left_out else {}),
    }
    return PredictionResult(summary, predictions)


def facts_of(given: object) -> list[dict[str, str]]:
    """Return a summary's facts about an input file; empty if ``given`` is not a path."""
    return file_facts([located(given)]) if isinstance(given, str | os.PathLike) else []
