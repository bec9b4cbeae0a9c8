"""Readers for the result files of several harnesses, which return verdicts in one form."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError, shown_path
from evalplus_lite.jobs.outputs import RunGroup, Tests, group_of, read_evaluation
from evalplus_lite.store import parse_json, read_jsonl, read_text
from evalplus_lite.store.opening import open_zip
from evalplus_lite.store.reading import OWN_LINE, OWN_VALUES
from evalplus_lite.store.reading import Row as FileRow
from evalplus_lite.types import clip

OWN = "evalplus-lite"
"""The harness of a folder of evaluate."""


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """One side's judgment of a sample: the text that it judged, and the verdict.

    ``kind`` is as in ``SampleForm``; ``stops`` are the harness's stop strings.
    """

    text: str
    kind: str
    passed: bool
    tests: Tests
    detail: str = ""
    stops: Sequence[str] = ()


@dataclass(frozen=True)
class Side:
    """The results of one harness: verdicts by task and index of the sample."""

    label: str
    harness: str
    rows: Mapping[tuple[str, int], JudgedSample]
    dataset: str = ""
    content: str = ""
    """The content hash of the data set, if the results state it."""
    samples: Mapping[tuple[str, int], tuple[RunGroup, int]] = field(default_factory=dict)
    """The group and index of each sample in a folder of evaluate, if it has several groups."""

    def renamed(self, ids: Sequence[str]) -> Side:
        """Return the side with task numbers replaced by ids."""
        if not self.rows or not all(id.isdecimal() for id, _ in self.rows) or "0" in ids:
            return self
        rows = {
            (ids[int(id)], at): row for (id, at), row in self.rows.items() if int(id) < len(ids)
        }
        return replace(self, rows=rows)

    def score(self, ids: Iterable[str]) -> float | None:
        """Return pass@1 over these tasks; None if there are none."""
        shares = [self.shares[id] for id in ids if id in self.shares]
        return sum(shares) / len(shares) if shares else None

    @cached_property
    def shares(self) -> dict[str, float]:
        """The share of passing samples of each task with samples."""
        passed: dict[str, list[bool]] = {}
        for (task, _), row in self.rows.items():
            passed.setdefault(task, []).append(row.passed)
        return {task: sum(some) / len(some) for task, some in passed.items()}


def read_side(path: str | os.PathLike[str], tests: Tests = "plus") -> Side:
    """Read the results of a harness: a folder of this project or of bigcode's harness, else a file.

    ``tests`` chooses between a file's verdicts on base and on all cases, if it has both.
    """
    if os.path.isdir(path):
        if Path(path, "logs.json").exists():
            return Side(shown_path(path), "bigcode", _numbered(_bigcode(Path(path))))
        return _own(path, tests)
    rows = _rows(path)
    first = next(rows, None)
    form = first and next((each for each in FORMS if first.data.keys() >= each.keys), None)
    if first is None or form is None:
        raise InputError(
            "holds no verdicts in a known form",
            path=path,
            remedy="give a folder of evaluate or a file of "
            + ", ".join(dict.fromkeys(each.harness for each in FORMS)),
        )
    judged = []
    for row in itertools.chain([first], rows):
        try:
            id, text, passed, used, detail = form.read(row.data, tests)
        except (LookupError, TypeError, AttributeError):
            id = text = passed = None
        if not isinstance(text, str) or passed not in (True, False) or id is None:
            raise InputError(
                f"a sample of {id} lacks its text or verdict", path=path, line=row.line
            )
        said = "" if passed else str(detail)
        stops = stop_strings(row.data)
        judged.append((str(id), JudgedSample(text, form.kind, bool(passed), used, said, stops)))
    return Side(shown_path(path), form.harness, _numbered(judged))


def _numbered(rows: Iterable[tuple[str, JudgedSample]]) -> dict[tuple[str, int], JudgedSample]:
    count, samples = Counter[str](), {}
    for id, judged in rows:
        samples[id, count[id]] = judged
        count[id] += 1
    return samples


def _rows(path: str | os.PathLike[str]) -> Iterator[FileRow]:
    """Yield a file's samples as rows: from JSONL, a JSON object, or inspect's zip."""
    if str(path).endswith(".eval"):
        for text in samples_of_log(path):
            yield FileRow(0, _object(text, path))
    elif str(path).endswith(".json"):
        data = _object(read_text(path, max_bytes=OWN_LINE), path)
        samples = data.get("samples")
        if type(samples) is list:  # a log of inspect
            yield from (FileRow(0, row) for row in samples if type(row) is dict)
        elif type(data.get("eval")) is dict:
            for id, some in data["eval"].items():
                for row in some if isinstance(some, list) else [some]:
                    yield FileRow(0, {"task_id": id, **(row if type(row) is dict else {})})
    else:
        yield from read_jsonl(path)


def _object(text: str, path: object) -> dict[str, Any]:
    data = parse_json(text, path=path, max_values=OWN_VALUES)
    return data if type(data) is dict else {}


@dataclass(frozen=True, slots=True)
class SampleForm:
    """A harness's row for a judged sample; ``read`` returns id, text, verdict, tests, detail.

    ``kind`` is ``completion`` for text that continues the prompt, ``solution`` for a whole program,
    and ``answer`` for a model's reply, from which the program is extracted.
    """

    harness: str
    keys: Set[str]
    kind: str
    read: Callable[[Mapping[str, Any], Tests], tuple[Any, Any, Any, Tests, Any]]


def _evalplus(row: Mapping[str, Any], tests: Tests) -> tuple[Any, Any, Any, Tests, Any]:
    used: Tests = "plus" if tests == "plus" and row.get("plus_status") else "base"
    parts = ("base", "plus") if used == "plus" else ("base",)
    bad = [part for part in parts if row.get(f"{part}_status") != "pass"]
    detail = ", ".join(f"{part}: {row.get(f'{part}_status')}" for part in bad)
    failed = row.get(f"{bad[-1]}_fail_tests") if bad else None
    if isinstance(failed, list) and failed:
        detail += f" on input {clip(str(failed[0]))}"
    return row["task_id"], row["solution"], not bad, used, detail


def _human_eval(row: Mapping[str, Any], tests: Tests) -> tuple[Any, Any, Any, Tests, Any]:
    return row["task_id"], row["completion"], row["passed"], "base", row.get("result", "")


def _lm_eval(row: Mapping[str, Any], tests: Tests) -> tuple[Any, Any, Any, Tests, Any]:
    score = next((row[key] for key in row if key.startswith("pass@1") or key == "pass_at_1"), None)
    text, doc = row["filtered_resps"], row["doc"]
    while isinstance(text, list) and text:
        text = text[0]
    return (doc.get("task_id") if isinstance(doc, dict) else None), text, score, "base", ""


def stop_strings(row: Mapping[str, Any]) -> list[str]:
    """Return the stop strings of lm-eval in its row."""
    try:
        stops = row["arguments"]["gen_args_0"]["arg_1"]["until"]
    except (LookupError, TypeError):
        return []
    listed = stops if isinstance(stops, list) else [stops]
    return [each for each in listed if each and isinstance(each, str)]


def _inspect(row: Mapping[str, Any], tests: Tests) -> tuple[Any, Any, Any, Tests, Any]:
    scores = row["scores"] if isinstance(row["scores"], dict) else {}
    score: dict[str, Any] = next(iter(scores.values()), {})
    output = row["output"] if isinstance(row["output"], dict) else {}
    value = score["value"] == "C" if score["value"] in ("C", "I") else score["value"]
    text = score.get("answer") or output.get("completion")
    return row["id"], text, value, "base", score.get("explanation") or ""


def _sandbox_fusion(row: Mapping[str, Any], tests: Tests) -> tuple[Any, Any, Any, Tests, Any]:
    failed: dict[str, Any] = next(
        (each for each in row["tests"] if each.get("passed") is False), {}
    )
    run = (failed.get("exec_info") or {}).get("run_result") or {}
    lines = [run.get("status") or "", *str(run.get("stderr") or "").splitlines()[-1:]]
    return row["id"], row["extracted_code"], row["accepted"], "base", ": ".join(lines)


FUSION = {"id", "accepted", "extracted_code", "tests"}
FORMS = (
    SampleForm("evalplus", {"task_id", "solution", "base_status"}, "solution", _evalplus),
    SampleForm("human-eval", {"task_id", "completion", "passed"}, "completion", _human_eval),
    SampleForm("lm-eval", {"doc", "filtered_resps"}, "solution", _lm_eval),
    SampleForm("inspect", {"id", "epoch", "scores", "output"}, "answer", _inspect),
    SampleForm("SandboxFusion", FUSION, "answer", _sandbox_fusion),
)
"""The forms of single samples, recognized by their keys."""


def samples_of_log(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the samples of inspect's log, a zip, as JSON texts, epoch by epoch."""
    with open_zip(path) as file:
        names = [name for name in file.namelist() if name.startswith("samples/")]
        for name in sorted(names, key=lambda name: (name.rpartition("_epoch_")[2], name)):
            if file.getinfo(name).file_size > OWN_LINE:
                raise InputError(f"{name} is too large", path=path)
            yield file.read(name).decode("utf-8", "replace")


def _bigcode(folder: Path) -> Iterator[tuple[str, JudgedSample]]:
    """Yield the samples of bigcode's harness from its logs and saved programs.

    Tasks are named by number in the data set.
    """
    logs = _object(read_text(folder / "logs.json", max_bytes=OWN_LINE), folder / "logs.json")
    paths = sorted(folder.glob("generations*.json"))
    if len(paths) != 1:
        raise InputError(
            f"holds {len(paths)} files generations*.json, one was expected", path=folder
        )
    text = read_text(paths[0], max_bytes=OWN_LINE)
    texts = parse_json(text, path=paths[0], max_values=OWN_VALUES)
    if not isinstance(texts, list):
        raise InputError("is no list of programs by task", path=paths[0])
    for number, some in enumerate(texts):
        try:
            for at, (_, row) in enumerate(sorted(logs[str(number)], key=lambda pair: pair[0])):
                passed, detail = row["passed"] is True, str(row["result"])
                detail = "" if passed else detail
                judged = JudgedSample("" + some[at], "solution", passed, "base", detail)
                yield str(number), judged
        except (LookupError, TypeError, ValueError):
            problem = f"does not belong to {paths[0].name}: task {number}"
            raise InputError(problem, path=folder / "logs.json") from None


def _own(path: str | os.PathLike[str], tests: Tests) -> Side:
    evaluation = read_evaluation(path)
    texts = dict(evaluation.programs())
    used: Tests = "plus" if tests == "plus" and evaluation.has_plus else "base"
    rows, samples, count = {}, {}, Counter[str]()
    has_groups = len(evaluation.summary["groups"]) > 1
    for row in evaluation.rows():
        key = row["task_id"], row["index"]
        if has_groups:  # each of which counts its samples from 0
            key = row["task_id"], count[row["task_id"]]
            samples[key] = group_of(row), row["index"]
            count[row["task_id"]] += 1
        failure = row.get("failure") or {}
        passed = row["base"] == "pass" and (used == "base" or row["plus"] in ("pass", None))
        detail = "" if passed else f"{failure.get('verdict', '')}: {failure.get('detail', '')}"
        text = texts.get(row["program"], "")
        rows[key] = JudgedSample(text, "solution", passed, used, detail)
    dataset, content = evaluation.data_path, evaluation.content
    return Side(shown_path(path), OWN, rows, dataset, content, samples)
