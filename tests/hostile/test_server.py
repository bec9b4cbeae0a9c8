"""The hostile programs through a running server: sound verdicts, and the next program is judged."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hostile import arena

httpx = pytest.importorskip("httpx", reason="needs httpx")
pytest.importorskip("uvicorn", reason="needs uvicorn")

PROGRAMS = [
    program
    for program in arena.own_programs()
    if not program.needs or importlib.util.find_spec(program.needs) is not None
]
LIMITS = {"seconds": 1.0, "total_seconds": 10, "memory_mb": 256}
BATCH = 20
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A client of a server that has no task of its own."""
    command = [sys.executable, "-m", "evalplus_lite", "serve", "--port", "0", "-w", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            words = process.stdout.readline().split()
            url = next(word for word in words if word.startswith("http"))
            with httpx.Client(base_url=url, timeout=300) as found:
                yield found
        finally:
            process.terminate()


def row(name: str) -> dict[str, Any]:
    """Return a tiny problem as a row of tasks."""
    problem = arena.PROBLEMS[name]
    found = {
        "id": name,
        "prompt": "",
        "entry_point": name,
        "reference": arena.REFERENCES[name],
        "inputs": problem.inputs,
        "rule": problem.rule.row,
    }
    return found if problem.contract is None else {**found, "contract": problem.contract}


@pytest.mark.parametrize("start", range(0, len(PROGRAMS), BATCH))
def test_programs(client: Any, start: int) -> None:
    """A batch with an honest program after each: all verdicts are sound, the server goes on."""
    batch = PROGRAMS[start : start + BATCH]
    with arena.canary() as canary:
        before = canary.state()
        places = canary.places(0)
        items = []
        for program in batch:
            items.append({"task": row(program.problem), "program": program.source(places)})
            items.append({"task": row("add"), "program": arena.HONEST})
        response = client.post("/v1/verify", json={"items": items, "limits": LIMITS})
        assert response.status_code == 200, response.text[:500]
        verdicts = response.json()["verdicts"]
        said = {
            program.name: verdict["base"]
            for program, verdict in zip(batch, verdicts[::2], strict=True)
        }
        wrong = {
            program.name: (said[program.name], sorted(program.sound))
            for program in batch
            if said[program.name] not in program.sound
        }
        assert wrong == {}, json.dumps(verdicts)[:2000]
        assert all(verdict["passed"] for verdict in verdicts[1::2])
        assert canary.state() == before
        assert canary.reached() == []
    assert client.get("/healthz").status_code == 200
