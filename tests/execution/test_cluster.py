"""A real Ray of several nodes gives what the processes of one machine give, whatever is lost."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.commands import alive, descendants, write_rows

from evalplus_lite import Dataset, InputError, Sample, Session, Verifier, augment, evaluate
from evalplus_lite.errors import SandboxUnavailable
from evalplus_lite.exe.mining import MiningSettings, mine
from evalplus_lite.execution.base import Call
from evalplus_lite.execution.job import Lost
from evalplus_lite.execution.ray_cluster import Cluster, connect
from evalplus_lite.jobs.reduction import reduce
from evalplus_lite.sandbox import config_of
from evalplus_lite.types import Case, Task

pytestmark = pytest.mark.slow

TASKS = tuple(
    Task(f"Own/{n}", "", "f", f"def f(x):\n    return x + {n} if x > 3 else -x",
         base=(Case((1,)), Case((5,))), plus=(Case((-3,)),))
    for n in range(4)
)  # fmt: skip
STORE = 80 << 20
"""Bytes of the object store where the driver is: no less is possible."""
TEXTKIT = Path(__file__).parents[2] / "docs" / "examples" / "textkit"
SLOW = """
import sys, time
from pathlib import Path
from evalplus_lite import Session
from execution.test_cluster import evaluated
with Session(backend=sys.argv[1], cache=sys.argv[3]) as session:
    evaluated(Path(sys.argv[2]), session)
"""
OWN = Dataset("own", TASKS)
SAMPLES = [
    Sample(task.id, source, index=n)
    for task in TASKS
    for n, source in enumerate((task.reference, "def f(x):\n    return -x", "f = None"))
]


class Named(str):
    """A text of a class of the user's."""


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """A cluster of a head with a small store and no work, and two nodes of a processor."""
    ray = pytest.importorskip("ray", reason="needs ray")
    from ray.cluster_utils import Cluster as Nodes

    here = Path(__file__).resolve().parents[1]
    os.environ["PYTHONPATH"] = f"{here}{os.pathsep}{here.parent}"  # a node's, as it is started
    made = Nodes(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": STORE})
    for _ in range(2):
        made.add_node(num_cpus=1)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def backend(nodes: Any) -> Iterator[Cluster]:
    with Cluster(nodes.address) as opened:
        yield opened


def written(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder but those of measured times."""
    of_times = ("cost", "times", "journal")
    found = {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    return {
        name: data for name, data in found.items() if not any(word in name for word in of_times)
    }


def evaluated(out: Path, session: Session) -> dict[str, bytes]:
    """Judge programs that take a moment each, and at last some that use all their time."""
    slow = "def f(x):\n    for n in range(10**6 * (x > 3)): pass\n"
    slow += "    return x + {0} + {1} - {1} if x > 3 else -x"
    endless = "def f(x):\n    while x > 3: x + {1}\n    return -x"
    samples = [
        Sample(f"Own/{n % 4}", (slow if n < 80 else endless).format(n % 4, n), index=n // 4)
        for n in range(100)
    ]
    evaluate(OWN, samples, out=out, session=session)
    return written(out)


def everything(out: Path, backend: str, cache: Path) -> dict[str, bytes]:
    """Evaluate, augment, reduce and mine; return what was written."""
    workers = 1 if backend == "processes" else None
    with Session(workers=workers, backend=backend, cache=cache) as session:
        evaluate(OWN, SAMPLES, out=out / "evaluate", session=session)
        suite = augment(OWN, inputs=20, out=out / "augment", session=session).dataset
        reduce(suite, out=out / "reduce", session=session)
        settings = MiningSettings(functions=2, rounds=1, keep_all=True)
        mine([str(TEXTKIT)], settings=settings, out=out / "mine" / "tasks.jsonl", session=session)
    return {
        f"{each.name}/{name}": data
        for each in out.iterdir()
        for name, data in written(each).items()
    }


def test_the_same_bytes_as_on_one_machine(
    nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each job writes what it writes with processes of this machine."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    here = everything(tmp_path / "here", "processes", tmp_path / "one")
    there = everything(tmp_path / "there", f"ray:{nodes.address}", tmp_path / "two")
    assert here.keys() == there.keys()
    assert {name for name in here if here[name] != there[name]} == set()


def test_a_run_goes_on_after_its_driver_is_killed(
    nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was judged is not judged again, and the files are those of a run without a kill."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    out, cache = tmp_path / "there", tmp_path / "cache"
    given = [sys.executable, "-c", SLOW, f"ray:{nodes.address}", str(out), str(cache)]
    journal = out / "results.jsonl"
    with subprocess.Popen(given) as driver:
        while driver.poll() is None and not (journal.exists() and journal.stat().st_size):
            time.sleep(0.02)
        driver.send_signal(signal.SIGKILL)
    assert driver.returncode == -signal.SIGKILL
    before = journal.read_bytes()
    assert 0 < before.count(b"\n") < 100
    with Session(backend=f"ray:{nodes.address}", cache=cache) as session:
        found = evaluated(out, session)
    with Session(workers=2, cache=cache) as session:
        assert evaluated(tmp_path / "here", session) == found
    assert found["results.jsonl"].startswith(before[: before.rindex(b"\n")])


def test_more_is_staged_than_the_object_store_holds(backend: Cluster) -> None:
    """Ray moves it to disk, or the items wait: none is lost, and each finds its row."""
    texts = [str(n) * (40 << 20) for n in range(4)]
    refs = [backend.stage(text) for text in texts]
    assert sum(map(len, texts)) > STORE
    assert list(backend.map(Call("support.work:weighing"), refs * 2)) == [40 << 20] * 8


def test_a_node_that_is_killed_and_one_that_joins(nodes: Any, backend: Cluster) -> None:
    """No item is lost, and none counts as failed, while nodes come and go."""
    assert backend.tier in ("namespaces", "landlock")
    joined = nodes.add_node(num_cpus=1)
    rows = backend.map(Call("support.work:sleeping"), range(60))
    first = [next(rows) for _ in range(5)]
    deadline = time.monotonic() + 60
    while backend.workers < 3 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert backend.workers == 3
    nodes.remove_node(joined, allow_graceful=False)
    assert first + list(rows) == [n * n for n in range(60)]


def test_a_raylet_that_is_killed_leaves_nothing(nodes: Any, backend: Cluster) -> None:
    """Its items are done elsewhere, and what it had started ends with it."""
    assert backend.tier
    joined = nodes.add_node(num_cpus=1)
    raylet = joined.all_processes["raylet"][0].process.pid
    deadline = time.monotonic() + 120
    while not launchers(joined) and time.monotonic() < deadline:
        time.sleep(0.1)
    rows = backend.map(Call("support.work:sleeping"), range(200))
    first = [next(rows)]
    ours = launchers(joined)
    started = ours.union(*map(descendants, ours))
    assert ours
    os.kill(raylet, signal.SIGKILL)
    assert first + list(rows) == [n * n for n in range(200)]
    while alive(started) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [Path(f"/proc/{pid}/cmdline").read_bytes()[:300] for pid in alive(started)] == []
    nodes.remove_node(joined, allow_graceful=False)


def test_an_item_that_ends_its_actor_takes_no_other_with_it(backend: Cluster) -> None:
    """After some tries it is lost, which is no verdict; all others have their rows."""
    found = list(
        backend.map(Call("support.work:deadly"), range(40), lost=lambda item, error: error)
    )
    assert [n for n, each in enumerate(found) if isinstance(each, Lost)] == [7]
    assert [each for each in found if not isinstance(each, Lost)] == [
        n for n in range(40) if n != 7
    ]


def test_weaker_nodes_are_left_out(nodes: Any) -> None:
    """Where no node is strong enough, an error says of which tier each is."""
    with (
        Cluster(nodes.address, config_of("landlock", ()), require_tier="namespaces") as weak,
        pytest.raises(SandboxUnavailable, match="of tier landlock"),
    ):
        assert weak.tier
    with pytest.raises(InputError, match="no tier"):
        Cluster(nodes.address, require_tier="steel")
    with pytest.raises(InputError, match=f"{nodes.address}, not 127.0.0.1:1"):
        connect("127.0.0.1:1")


def test_a_verifier_on_a_cluster(nodes: Any) -> None:
    """The same verdicts, asked from several threads, also for an id that Ray cannot send."""
    with (
        Verifier(OWN, backend=f"ray:{nodes.address}") as verifier,
        ThreadPoolExecutor(4) as threads,
    ):
        ids = [Named(task.id) for task in TASKS]
        found = threads.map(lambda task, id: verifier.verify(id, task.reference), TASKS, ids)
        assert [verdict.passed for verdict in found] == [True] * 4


def test_nothing_is_left_when_the_driver_is_killed(nodes: Any, tmp_path: Path) -> None:
    """The actors and all that they started end with the process that asked for them."""
    script = (
        "import sys, time\nfrom evalplus_lite.execution.ray_cluster import Cluster\n"
        "with Cluster(sys.argv[1]) as backend:\n"
        "    backend.tier\n    print('ready', flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, nodes.address], stdout=subprocess.PIPE, text=True
    ) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline() == "ready\n"
        started = launchers(*nodes.list_all_nodes())
        assert started
        driver.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 60
    while alive(started) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not alive(started)


def test_the_server_on_a_cluster(nodes: Any, tmp_path: Path) -> None:
    """The command's verdicts are right, alone and many at a time; told to end, it ends."""
    httpx = pytest.importorskip("httpx", reason="needs httpx")
    pytest.importorskip("uvicorn", reason="needs uvicorn")
    row = {"id": "Own/it", "prompt": "", "entry_point": "f", "inputs": [[1], [5]]}
    write_rows(tmp_path / "tasks.jsonl", [{**row, "reference": "def f(x): return -x"}])
    command = [sys.executable, "-m", "evalplus_lite", "serve", "--port", "0"]
    command += ["-d", str(tmp_path / "tasks.jsonl"), "--backend", f"ray:{nodes.address}"]
    programs = ["def f(x): return -x", "def f(x): return x", "def f(x):\n    while True: pass"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = next(word for word in server.stdout.readline().split() if word.startswith("http"))
        body = {"task": "Own/it", "programs": programs * 4}
        found = httpx.post(f"{url}/v1/verify", json=body, timeout=60).json()
        started = launchers(*nodes.list_all_nodes())
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0
    assert [each["base"] for each in found["verdicts"]] == ["pass", "fail", "timeout"] * 4
    deadline = time.monotonic() + 60
    while alive(started) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert started
    assert not alive(started)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of ray's own
def test_the_class_of_the_guide(nodes: Any, tmp_path: Path) -> None:
    """What the guide shows for ``map_batches`` judges a data set of Ray."""
    data = pytest.importorskip("ray.data", reason="needs what ray's data sets need")
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "scaling.md").read_text()
    (code,) = [each for each in re.findall(r"```python\n(.*?)```", guide, re.S) if "Judge" in each]
    space: dict[str, Any] = {}
    exec(code, space)
    write_rows(
        tmp_path / "tasks.jsonl",
        [{"id": "A", "prompt": "", "entry_point": "f", "reference": "def f(x): return x",
          "inputs": [[1]]}],
    )  # fmt: skip
    connect(nodes.address)
    rows = data.from_items(
        [{"task_id": "A", "solution": f"def f(x): return x + {n % 2}"} for n in range(10)]
    )
    judged = rows.map_batches(
        space["Judge"],
        fn_constructor_args=(str(tmp_path / "tasks.jsonl"),),
        concurrency=1,
        batch_size=4,
    )
    found = {row["solution"][-1]: bool(row["passed"]) for row in judged.take_all()}
    assert found == {"0": True, "1": False}


def launchers(*nodes: Any) -> set[int]:
    """Return the processes below the nodes' raylets that fork supervisors."""
    raylets = [node.all_processes["raylet"][0].process.pid for node in nodes]
    return {
        pid
        for raylet in raylets
        for pid in descendants(raylet)
        if b"execution.supervisor import main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    }
