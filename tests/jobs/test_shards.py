"""Jobs dealt out as shards and put together: the same bytes, or a refusal that names the shard."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import textwrap
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer, ModelServer
from support.commands import captured, environment, sample_rows, write_rows, write_tasks
from support.mining import SLUG

from evalplus_lite import (
    Client,
    InputError,
    Session,
    __version__,
    augment,
    evaluate,
    load_dataset,
    merge,
)
from evalplus_lite.cli.merge import as_merged
from evalplus_lite.exe import mine, predict
from evalplus_lite.exe.mining import MiningSettings
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.jobs.generation import generate_samples
from evalplus_lite.jobs.shards import RECORD, Shard, dealt, gather, shards_of

ROOT = Path(__file__).resolve().parents[2]
MEASURED = re.compile(r"costs[-.].*|.*[.](times|journal)[.]jsonl")
"""Files that hold seconds, or rows with seconds."""
METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: 1.2\nLicense-Expression: MIT\n"

DATE = re.compile(rb'"date":"2[^"]*"')
"""When a model answered."""


class Jobs:
    """Each job on the same small input, called by its name."""

    def __init__(self, folder: Path, server: ModelServer, session: Session) -> None:
        self.folder, self.server = folder, server
        self.tasks = write_tasks(folder)
        self.samples = [
            write_rows(folder / "a.jsonl", sample_rows(18)),
            write_rows(folder / "b.jsonl", sample_rows(24)[6:]),
        ]
        self.wheels = [str(_wheel(folder, name)) for name in ("toy_a", "toy_b", "toy_c")]
        self.options: dict[str, dict[str, Any]] = {
            "evaluate": {"details": True},
            "augment": {"inputs": 6},
            "mine": {"settings": MiningSettings(static_only=True)},
        }
        self.session = session

    def call(self, name: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return a job's function and what it is given beside ``out`` and options."""
        client = Client("tiny", base_url=self.server.url, concurrency=2)
        return {
            "evaluate": (evaluate, (self.tasks, self.samples)),
            "augment": (augment, (self.tasks,)),
            "mine": (mine, (self.wheels,)),
            "predict": (predict, (_programs(), client)),
            "generate": (
                generate_samples,
                (load_dataset(self.tasks, session=self.session), client),
            ),
        }[name]

    def run(self, name: str, out: Path, **options: Any) -> Any:
        """Run a job."""
        job, given = self.call(name)
        chosen = {**self.options.get(name, {}), **options}
        return job(*given, out=out, session=self.session, **chosen)

    def merge(self, name: str, out: Path, **options: Any) -> Any:
        """Put its shards together."""
        job, given = self.call(name)
        chosen = {**self.options.get(name, {}), **options}
        return merge(out, job, *given, session=self.session, **chosen)


def _wheel(folder: Path, name: str) -> Path:
    path = folder / f"{name}-1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}-1.2.dist-info/METADATA", METADATA.format(name))
        archive.writestr(f"{name}.py", textwrap.dedent(SLUG).replace("slug", f"slug_{name}"))
    return path


def _programs() -> list[MinedTask]:
    cases = [TaskCase(Invocation((n,)), CallResult("value", value=n + 1), {}) for n in range(3)]
    return [
        MinedTask(f"p/m.f{n}", f"def f{n}(x):\n    return x + 1\n", f"f{n}", tuple(cases[n:]), {})
        for n in range(3)
    ]


def _said(asked: dict[str, Any]) -> Answer:
    words = json.dumps(asked["messages"])
    return ModelServer.chat(f'```python\ndef f(x):\n    return {len(words)}\n```\n{{"value": 1}}')


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jobs]:
    """All jobs, with a session and a model's server that they share."""
    server = ModelServer()
    server.answers.append(_said)
    folder = tmp_path_factory.mktemp("shards")
    with (
        pytest.MonkeyPatch.context() as patch,
        Session(workers=2, cache=folder / "cache") as session,
    ):
        patch.setenv("OPENAI_API_KEY", "k")
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        yield Jobs(folder, server, session)
    server.close()


def _files(out: Path) -> dict[str, bytes]:
    """Return what a run wrote, but for what is measured."""
    found = sorted(path for path in out.parent.rglob("*") if path.is_file())
    return {
        str(path.relative_to(out.parent)): DATE.sub(b"", path.read_bytes())
        for path in found
        if f"{out.name}.shards" not in path.parts and not MEASURED.fullmatch(path.name)
    }


def _clean(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder / "out.jsonl"


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("evaluate", (1, 5)),
        ("augment", (2,)),
        ("mine", (2,)),
        ("predict", (5,)),
        ("generate", (2,)),
    ],
)
def test_merged_shards_are_an_unsharded_run(
    jobs: Jobs, tmp_path: Path, name: str, sizes: tuple[int, ...]
) -> None:
    """Of one shard, of two, and of more than there are tasks, come the same bytes."""
    folder = tmp_path / "run"
    jobs.run(name, _clean(folder))
    whole = _files(folder / "out.jsonl")
    assert len(whole) >= 1
    for of in sizes:
        out = _clean(folder)
        found = [
            jobs.run(name, out, shard=f"{number}/{of}").summary["items"]
            for number in range(of, 0, -1)
        ]
        assert sum(found) == 3
        asked = len(jobs.server.asked)
        jobs.merge(name, out)
        assert _files(out) == whole
        assert len(jobs.server.asked) == asked


def _sharded(jobs: Jobs, folder: Path, of: int = 2, **options: Any) -> Path:
    out = folder / "run"
    for number in range(1, of + 1):
        jobs.run("evaluate", out, shard=f"{number}/{of}", **options)
    return out


def _record(out: Path, folder: str, /, **changes: Any) -> Path:
    place = shards_of(out) / folder / RECORD
    place.write_text(json.dumps({**json.loads(place.read_text()), **changes}))
    return place.parent


def _refused(jobs: Jobs, out: Path, *parts: str) -> None:
    with pytest.raises(InputError) as caught:
        jobs.merge("evaluate", out)
    for part in parts:
        assert part in str(caught.value)


def test_what_is_not_all_of_one_run_is_refused_by_name(jobs: Jobs, tmp_path: Path) -> None:
    """Missing, unfinished, foreign and damaged shards are named."""
    out = _sharded(jobs, tmp_path)
    second = shards_of(out) / "2-of-2"
    kept = tmp_path / "kept"
    shutil.copytree(second, kept)
    sound = json.loads((second / RECORD).read_text())

    def again(**changes: Any) -> Path:
        shutil.rmtree(second, ignore_errors=True)
        shutil.copytree(kept, second)
        return _record(out, "2-of-2", **changes)

    shutil.rmtree(second)
    _refused(jobs, out, "2/2", "missing")
    again(finished=False)
    _refused(jobs, out, "2/2", "not finished")
    again(version="0.0.1")
    _refused(jobs, out, "2/2", "version")
    again(plan="0" * 32)
    _refused(jobs, out, "2/2", "other settings or data")
    for change in (
        {"shard": [1, 10**9]},
        {"items": [[10**30, "Own/0"]]},
        {"items": [[-1, "Own/0"]]},
        {"total": 10**30},
        {"rows": 10**30},
        {"rows": "1"},
    ):
        again(**change)
        _refused(jobs, out, "shard.json", "not a record")
    again(shard=[1, 2])
    _refused(jobs, out, "2-of-2", "1/2")
    again(shard=[2, 3])
    _refused(jobs, out, "of 2 and of 3")
    (again() / "shard.json").write_text("[1")
    _refused(jobs, out, "shard.json")
    rows = (again() / "results.jsonl").read_bytes()
    (second / "results.jsonl").write_bytes(rows[: rows.index(b"\n") + 1])
    _refused(jobs, out, "results.jsonl", str(sound["rows"]))
    (second / "results.jsonl").write_bytes(b'{"task_id":"Own/9"}\n' + rows)
    _refused(jobs, out, "results.jsonl:1", "2/2")
    again()
    shutil.rmtree(out, ignore_errors=True)
    _refused(jobs, tmp_path / "nothing", "holds no shard")
    assert not out.exists()
    assert jobs.merge("evaluate", out).summary["samples"] == 36


def test_shards_of_another_version_or_command(jobs: Jobs, tmp_path: Path) -> None:
    """Whoever merges is of the version that made the shards, by a command that has some."""
    out = _sharded(jobs, tmp_path)
    for number in (1, 2):
        _record(out, f"{number}-of-2", version="0.0.1")
    _refused(jobs, out, "1/2", "version '0.0.1'")
    for number in (1, 2):
        _record(out, f"{number}-of-2", version=__version__, command=["exe", "score"])
    with pytest.raises(InputError, match="'exe score'"):
        as_merged(gather(out), str(out))


@pytest.mark.parametrize("change", [{"version": "0.0.1"}, {"python": "3.0"}])
def test_a_shard_of_another_version_is_not_gone_on_with(
    jobs: Jobs, tmp_path: Path, change: dict[str, str]
) -> None:
    """Its rows would be of both; from the start it is done by this one."""
    out = tmp_path / "run"
    for name in ("evaluate", "generate"):
        jobs.run(name, out, shard="1/2")
        _record(out, "1-of-2", finished=False, **change)
        with pytest.raises(InputError, match=next(iter(change.values()))):
            jobs.run(name, out, shard="1/2")
        jobs.run(name, out, shard="1/2", force=True)
        shutil.rmtree(shards_of(out))


def test_a_deal_is_fair_whole_and_the_same_whatever_the_order() -> None:
    """Every place is dealt once; the dearest part is near the mean; words after -- stay there."""
    costs = [(n * 7919) % 97 + 1 for n in range(200)]
    names = [f"t{n:03}" for n in range(200)]
    parts = dealt(costs, names, 7)
    assert sorted(place for part in parts for place in part) == list(range(200))
    loads = [sum(costs[place] for place in part) for part in parts]
    assert max(loads) - min(loads) <= max(costs)
    turned = dealt(costs[::-1], names[::-1], 7)
    assert [{names[p] for p in part} for part in parts] == [
        {names[::-1][p] for p in part} for part in turned
    ]
    assert [len(part) for part in dealt([1, 1], ["b", "a"], 4)] == [1, 1, 0, 0]
    typed = ["exe", "mine", "--shard", "1/2", "-o", "out", "--", "a", "b"]
    assert as_merged(typed, "out", workers=3)[-3:] == ["--", "a", "b"]
    assert "--workers=3" in as_merged(typed, "out", workers=3)
    assert "--workers=3" not in as_merged(["exe", "predict"], "out", workers=3)


@pytest.mark.parametrize(
    ("out", "expected"), [("a", "a.shards"), (".", "../here.shards"), ("..", "../../over.shards")]
)
def test_shards_stand_beside_their_output(
    out: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where that is a folder without a name of its own."""
    here = tmp_path / "over" / "here"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    assert Path(os.path.abspath(shards_of(Path(out)))) == (here / expected).resolve()


def test_shards_of_other_settings_or_samples(jobs: Jobs, tmp_path: Path) -> None:
    """What was changed between two shards, or before they are merged, is refused."""
    out = tmp_path / "run"
    jobs.run("evaluate", out, shard="1/2")
    jobs.run("evaluate", out, shard="2/2", limits="evalplus")
    _refused(jobs, out, "2/2", "limits", "'evalplus'")
    shutil.rmtree(shards_of(out))
    _sharded(jobs, tmp_path)
    with pytest.raises(InputError, match="1/2 was made with other"):
        merge(out, evaluate, jobs.tasks, jobs.samples[:1], session=jobs.session, details=True)
    with pytest.raises(InputError, match="shard 1/2 was begun with other"):
        evaluate(
            jobs.tasks,
            jobs.samples[:1],
            details=True,
            out=out,
            shard="1/2",
            session=jobs.session,
        )


def test_merge_goes_on_and_drops_nothing_of_others(jobs: Jobs, tmp_path: Path) -> None:
    """After a kill the same calls end it; rows of another run are not touched."""
    out = _sharded(jobs, tmp_path)
    # A shard that was killed, too, is gone on with, and named by merge until it has ended.
    first = _record(out, "1-of-2", finished=False) / "results.jsonl"
    sound = first.read_bytes()
    first.write_bytes(sound[: len(sound) // 2])
    _refused(jobs, out, "shard 1/2 is not finished")
    jobs.run("evaluate", out, shard="1/2")
    assert first.read_bytes() == sound
    jobs.merge("evaluate", out)
    whole = _files(out)
    rows = (out / "results.jsonl").read_bytes()
    (out / "results.jsonl").write_bytes(rows[: len(rows) // 2])
    (out / "summary.json").unlink()
    jobs.merge("evaluate", out)
    assert _files(out) == whole
    head, *rest = rows.splitlines(keepends=True)
    (out / "results.jsonl").write_bytes(b"".join([*rest, head]))
    _refused(jobs, out, "holds other rows")
    jobs.merge("evaluate", out, force=True)
    assert _files(out) == whole


@pytest.mark.parametrize("text", ["0/0", "4/3", "0/3", "x", "1", "1/", "-1/2", "1/2/3", "１/2"])
def test_texts_that_name_no_shard(text: str) -> None:
    """What is no part of any number of parts is refused."""
    with pytest.raises(InputError, match="shard is"):
        Shard.parse(text)


SBATCH = """#!/usr/bin/env bash
# A scheduler of one machine: an array is run task by task, what depends on it after that.
set -euo pipefail
for argument; do
    case $argument in
        --parsable) ;;
        --array=*) range=${argument#--array=} ;;
        --dependency=afterany:7) ;;
        --wrap) sh -c "$2" >&2; exit ;;
        *) break ;;
    esac
    shift
done
for number in $(seq "${range%-*}" "${range#*-}"); do
    SLURM_CPUS_PER_TASK=1 SLURM_ARRAY_TASK_ID=$number "$@" >&2
done
echo 7
"""


def test_the_script_for_slurm(jobs: Jobs, tmp_path: Path) -> None:
    """An array of two, and what merges it, give the bytes of a run without shards."""
    tools = tmp_path / "tools"
    tools.mkdir()
    command = f'#!/bin/sh\nexec "{sys.executable}" -m evalplus_lite "$@"\n'
    for name, text in (("sbatch", SBATCH), ("evalplus-lite", command)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    variables = {
        **environment(jobs.folder / "cache", SHARDS="2", OUT="run"),
        "PATH": f"{tools}:{os.environ['PATH']}",
    }
    arguments = ["evaluate", "-d", str(jobs.tasks), "--quiet", "--force"]
    for path in jobs.samples:
        arguments += ["-s", str(path)]
    script = ROOT / "scripts" / "examples" / "shards.slurm"
    done = captured([script, *arguments], cwd=tmp_path, env=variables)
    assert done.returncode == 0, done.stderr
    assert (shards_of(tmp_path / "run") / "2-of-2" / "results.jsonl").is_file()
    evaluate(jobs.tasks, jobs.samples, out=tmp_path / "whole", session=jobs.session)
    for name in ("results.jsonl", "programs.jsonl.gz"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["samples"] == 36
