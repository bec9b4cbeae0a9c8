"""``evalplus-lite mutants``: what a suite does not notice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalplus_lite.cli.options import (
    DatasetOption,
    JsonOption,
    OutOption,
    PackagesOption,
    SandboxOption,
    StrictOption,
    TasksOption,
    WorkersOption,
)
from evalplus_lite.cli.reduce import FreshOption

if TYPE_CHECKING:
    from evalplus_lite.requirements.survivors import Report
    from evalplus_lite.tasks import Dataset


def mutants(
    dataset: DatasetOption,
    out: OutOption = None,
    tasks: TasksOption = None,
    most: Annotated[
        int, typer.Option("--show", min=0, help="Survivors to show, worst tasks first.")
    ] = 5,
    workers: WorkersOption = None,
    sandbox: SandboxOption = "auto",
    package: PackagesOption = None,
    no_cache: FreshOption = False,
    strict: StrictOption = False,
    json: JsonOption = False,
) -> int:
    """Plant small faults in the references and report those that no input notices.

    A survivor is either an input still to be written or no fault at all: those whose changed line
    many inputs run are suspected to be equivalent, and counted apart. Writes DIR/mutants.md, with
    the diff of every survivor, and DIR/mutants.json.

    [bold]Example[/bold]  evalplus-lite mutants -d humaneval+ --tasks 0-9
    """
    import json as json_module

    from evalplus_lite.cli.console import Screen, print_json
    from evalplus_lite.cli.evidence import tell
    from evalplus_lite.cli.setup import output_folder
    from evalplus_lite.store import write_text

    screen = Screen()
    with screen:
        data, reports, report = _reports(
            dataset, tasks, workers, sandbox, package, no_cache, screen, strict=strict
        )
        folder = output_folder(out, "mutants", dataset, data)
        name = data.name
        summary = {**summarize(name, reports), **report}
        write_text(folder / "mutants.json", json_module.dumps(summary, indent=2) + "\n")
        write_text(folder / "mutants.md", markdown(name, reports))
    if json:
        print_json(summary)
    else:
        show(name, reports, folder, most)
        tell(report, screen)
    return 1 if report["unusable"] else 0


def _reports(
    dataset: str,
    tasks: list[str] | None,
    workers: int | None,
    sandbox: str,
    package: list[str] | None,
    no_cache: bool,
    screen: Any,
    *,
    strict: bool,
) -> tuple[Dataset, list[Report], dict[str, Any]]:
    from evalplus_lite.cli.evidence import listed, require_any
    from evalplus_lite.cli.facts import facts
    from evalplus_lite.cli.setup import open_dataset, open_pool
    from evalplus_lite.pipelines.expected import SuiteSource
    from evalplus_lite.pipelines.reduction import Measured, measure
    from evalplus_lite.requirements.survivors import report
    from evalplus_lite.sandbox import Sandbox
    from evalplus_lite.store import cache_folder

    def one(box: Sandbox, found: Measured) -> Report:
        screen.advance()
        return report(box, found.task, found.suite, found.matrix)

    with open_pool(workers, sandbox, screen, package) as pool:
        data = open_dataset(dataset, tasks, pool, screen, strict=strict)
        cache = None if no_cache else cache_folder()
        source = SuiteSource(given=data.suites, cache=cache)
        screen.stage("mutants", len(data.tasks))
        measured = measure(data, (), pool, source, cache=cache, kinds=("mutant",), progress=screen)
        require_any(len(measured), data, source)
        screen.stage("survivors", len(measured))
        found = {"run": facts(data, pool=pool), **listed(data, source)}
        return data, list(pool.imap(one, measured)), found


def summarize(name: str, reports: list[Report]) -> dict[str, Any]:
    """Return the counts over all tasks, and each task's survivors."""
    total = sum(report.total for report in reports)
    killed = sum(report.killed for report in reports)
    suspects = sum(s.is_suspect for report in reports for s in report.survivors)
    return {
        "dataset": name,
        "tasks": len(reports),
        "mutants": total,
        "killed": killed,
        "killed_by_base": sum(report.killed_by_base for report in reports),
        "score": killed / total if total else None,
        "suspected_equivalents": suspects,
        "adjusted_score": killed / (total - suspects) if total > suspects else None,
        "by_task": {
            report.task_id: {
                "mutants": report.total,
                "killed": report.killed,
                "killed_by_base": report.killed_by_base,
                "survivors": [
                    {
                        "operator": survivor.mutant.operator,
                        "line": survivor.mutant.line,
                        "reached": survivor.reached,
                        "suspected_equivalent": survivor.is_suspect,
                        "diff": survivor.diff,
                    }
                    for survivor in report.survivors
                ],
            }
            for report in reports
        },
    }


def markdown(name: str, reports: list[Report]) -> str:
    """Return the report for a person: every survivor's diff, the least reached first."""
    summary = summarize(name, reports)
    lines = [
        f"# Mutants of {name}",
        "",
        f"{summary['killed']} of {summary['mutants']} mutants are noticed by some input, "
        f"{summary['killed_by_base']} by a base input. Of the survivors, "
        f"{summary['suspected_equivalents']} are suspected to be equivalent: many inputs run "
        "their line.",
    ]
    for report in reports:
        if not report.survivors:
            continue
        lines += ["", f"## {report.task_id}: {report.killed} of {report.total}"]
        for survivor in sorted(report.survivors, key=lambda s: (s.reached, s.mutant.line)):
            doubt = ", suspected equivalent" if survivor.is_suspect else ""
            lines += [
                "",
                f"{survivor.mutant.operator}, reached by {survivor.reached} inputs{doubt}",
                "",
                "```diff",
                *survivor.diff.splitlines()[2:],
                "```",
            ]
    return "\n".join(lines) + "\n"


def show(name: str, reports: list[Report], folder: Path, most: int) -> None:
    """Print the scores, and the survivors most worth an input."""
    from evalplus_lite.cli.console import percent, print_table, say

    summary = summarize(name, reports)
    print_table(
        f"{name}: mutants of {summary['tasks']} references",
        ["", "mutants", "%"],
        [
            ("all", summary["mutants"], ""),
            ("noticed", summary["killed"], percent(summary["score"])),
            (
                "noticed by base inputs",
                summary["killed_by_base"],
                percent(summary["killed_by_base"] / max(1, summary["mutants"])),
            ),
            ("suspected equivalents", summary["suspected_equivalents"], ""),
            ("noticed, without those", summary["killed"], percent(summary["adjusted_score"])),
        ],
    )
    pairs = [(report, s) for report in reports for s in report.survivors if not s.is_suspect]
    pairs.sort(key=lambda pair: (pair[1].reached, pair[0].task_id, pair[1].mutant.line))
    for report, survivor in pairs[:most]:
        say("")
        say(f"{report.task_id}, {survivor.mutant.operator}, reached by {survivor.reached} inputs")
        for line in survivor.diff.splitlines()[2:]:
            say(line)
    say("")
    say(f"every survivor with its diff: {folder / 'mutants.md'}")
