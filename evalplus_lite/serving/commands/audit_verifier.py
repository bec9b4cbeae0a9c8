"""``evalplus-lite audit-verifier``: audit a verifier with programs whose verdict is known."""

from __future__ import annotations

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import Screen, print_json, print_table, say
from evalplus_lite.jobs.linting import explain
from evalplus_lite.jobs.session import ProgressEvent
from evalplus_lite.serving.audit.auditing import AuditedProgram, VerifierAudit
from evalplus_lite.serving.audit.auditing import audit_verifier as audit
from evalplus_lite.serving.audit.host import CALLED, SERVERS
from evalplus_lite.serving.audit.own_programs import own_programs

COLUMNS = {
    "class": "class",
    "programs": "programs",
    "true_positives": "right accepted",
    "false_negatives": "right rejected",
    "true_negatives": "others rejected",
    "false_positives": "others accepted",
    "no_verdict": "no verdict",
    "ended": "verifier ended",
    "hangs": "hangs",
    "median_seconds": "median s",
    "most_seconds": "most s",
}
PROTOCOLS = ", ".join((*CALLED, "command", *SERVERS))


def audit_verifier(
    target: str = typer.Argument(
        ..., metavar="TARGET", help="module:function, a command, or a URL."
    ),
    dataset: str = typer.Option(
        "", "--dataset", "-d", metavar="NAME|PATH", help="Ask about these tasks."
    ),
    tasks: options.Tasks = None,
    protocol: str = typer.Option(
        "", "--protocol", metavar="NAME", help=f"How it is asked: {PROTOCOLS}."
    ),
    python: str | None = typer.Option(
        None, "--python", metavar="PATH", help="The interpreter a function lives in."
    ),
    only: list[str] | None = typer.Option(
        None, "--only", metavar="CLASS", help="right, wrong, late, odd, cheat; repeatable."
    ),
    timeout: float = typer.Option(
        30.0, "--timeout", metavar="SECONDS", min=1.0, help="No answer by then: a hang."
    ),
    load: bool = typer.Option(
        True, "--load/--no-load", help="Ask right and wrong ones again, under load."
    ),
    workers: options.Workers = None,
    json: options.Json = False,
) -> int:
    """Ask any verifier about right, wrong, late, odd and cheating programs.

    The set comes with the package and has a version. A program is accepted if it gets a full score.
    A function f(program, tests) gets a list of assertions, or of {input, output} for a script;
    trainers' reward functions are recognized by their parameters; a command gets a line of JSON,
    {"program", "tests"}, and prints the score. The verifier runs in processes that are killed when
    they hang. The programs are harmless, but run with whatever protection the verifier has. Exits
    with 1 if a verdict is wrong or missing.

    With -d, it is asked about each task's reference, and about mutants of it, trivial programs and
    programs that exit early, as far as the task's tests reject them.

    [bold]Example[/bold]  evalplus-lite audit-verifier my_rewards:compute_score
    """
    with Screen() as screen:
        done = 0

        def show(answer: AuditedProgram, total: int) -> None:
            nonlocal done
            if not done:
                screen(ProgressEvent("asking", 0, total))
            done += 1
            screen(ProgressEvent("asking", done, total))

        found = audit(
            target,
            protocol=protocol,
            python=python,
            timeout=timeout,
            workers=workers,
            load=load,
            only=only or (),
            programs=own_programs(dataset, tasks=tasks) if dataset else None,
            on_answer=show,
        )
    if json:
        print_json(found.to_json())
    else:
        _show(found)
    return 0 if found.is_sound else 1


def _show(found: VerifierAudit) -> None:
    rows = [[row[key] for key in COLUMNS] for row in found.classes()]
    of = f" (set {found.version})" if found.version else ""
    title = f"{found.target}, asked as {found.protocol}{of}"
    print_table(title, list(COLUMNS.values()), rows)
    if found.left_out:
        say(f"{found.left_out} tasks left out: no function or script with the values that JSON has")
    if len(found.kinds) < 2:
        say(f"asked about {found.kinds[0]}s only: that is what the protocol has")
    for code in sorted({each.code for each in found.answers} - {""}):
        say(f"{code} {explain(code)['name']}:")
        for each in found.answers:
            if each.code == code:
                reply = "" if code != "V004" else f": {each.answer.reply}"
                problem = f" ({each.answer.problem})" if each.answer.problem else ""
                say(f"  {each.category}: {each.program.name}{reply}{problem}")
    if not found.is_sound:
        say("what a code means: evalplus-lite lint --explain CODE")
