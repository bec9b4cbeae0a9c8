"""The commands as one program, and how errors leave it: one line, and an exit code."""

from __future__ import annotations

import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from evalplus_lite.cli import (
    audit,
    augment,
    cache,
    contracts,
    crossval,
    demo,
    doctor,
    evaluate,
    export,
    generate,
    mine,
    mutants,
    predict,
    reduce,
    sanitize,
    score,
)
from evalplus_lite.cli.escaping import printable
from evalplus_lite.errors import EvalPlusLiteError, InfrastructureError, LLMError

DONE, ATTENTION, BAD_INPUT, MACHINE, SERVER, INTERRUPTED = 0, 1, 2, 3, 4, 130

HELP = """Rigorous test suites for code benchmarks, and a verifier that no sample can fool.

A first look, with no key and no network: [bold]evalplus-lite demo[/bold]. Then, on your own files:

  evalplus-lite evaluate --dataset humaneval --samples samples.jsonl
  evalplus-lite augment  --dataset my_tasks.jsonl --out out/mine
  evalplus-lite evaluate --dataset out/mine/suite.jsonl.gz --samples samples.jsonl
  evalplus-lite reduce   --dataset out/mine/suite.jsonl.gz --samples other_samples.jsonl

Every long command shows its progress, can be killed at any time, and goes on where it stopped when
it is run again."""


class _Command(TyperCommand):
    """A command whose help shows no type beside an option that takes no value."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters as the command line and its help see them."""
        return _untyped(super().get_params(ctx))


class _Group(TyperGroup):
    """A group of commands, with help of the same kind."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters as the command line and its help see them."""
        return _untyped(super().get_params(ctx))


def _untyped(parameters: Any) -> Any:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters


app = typer.Typer(
    name="evalplus-lite",
    cls=_Group,
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _flowing(function: Callable[..., object] | None) -> str:
    """Return a docstring with a line a paragraph, so that the help wraps where the screen ends."""
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    return "\n\n".join(re.sub(r"\s*\n\s*", " ", paragraph) for paragraph in paragraphs)


def _command(name: str, function: Callable[..., object], panel: str) -> None:
    app.command(name, rich_help_panel=panel)(function)


_command("demo", demo.demo, "Start here")
_command("doctor", doctor.doctor, "Start here")
app.add_typer(cache.app, cls=_Group, rich_help_panel="Start here")
_command("augment", augment.augment, "Build test suites")
_command("reduce", reduce.reduce, "Build test suites")
_command("mutants", mutants.mutants, "Build test suites")
_command("audit", audit.audit, "Build test suites")
app.add_typer(contracts.app, cls=_Group, rich_help_panel="Build test suites")
_command("export", export.export, "Build test suites")
_command("evaluate", evaluate.evaluate, "Judge programs")
_command("generate", generate.generate, "Judge programs")
_command("sanitize", sanitize.sanitize, "Judge programs")
_command("crossval", crossval.crossval, "Judge programs")
_command("mine", mine.mine, "Execution tasks from packages")
_command("predict", predict.predict, "Execution tasks from packages")
_command("score", score.score, "Execution tasks from packages")
for group in (app, contracts.app, cache.app):
    for command in group.registered_commands:
        command.cls, command.help = _Command, _flowing(command.callback)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    if version:
        from evalplus_lite import __version__

        print(__version__)
        raise typer.Exit


def run(arguments: list[str]) -> int:
    """Run the program with these arguments and return its exit code."""
    code = _run(arguments)
    if code == INTERRUPTED:  # wherever it was noticed
        return _end("interrupted; run the same command again to go on", INTERRUPTED)
    return code


def _run(arguments: list[str]) -> int:
    try:
        result = app(arguments, standalone_mode=False)
        return result if isinstance(result, int) else DONE
    except typer.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except LLMError as error:
        return _end(str(error), SERVER)
    except InfrastructureError as error:
        return _end(str(error), MACHINE)
    except EvalPlusLiteError as error:
        return _end(str(error), BAD_INPUT)
    except BrokenPipeError:  # the reader of our output has gone, and wants no more of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        shown = getattr(error, "format_message", None)  # what the command line itself refuses
        if shown is None:
            raise
        if not shown().strip():  # nothing was asked, and the help was shown
            return DONE
        return _end(f"{shown()}{_given(error, arguments)} (see --help)", BAD_INPUT)


def _given(error: Exception, arguments: list[str]) -> str:
    """Return the value that was given to the option that an error is about, if it is known."""
    parameter = getattr(error, "param", None)
    names = {*getattr(parameter, "opts", ()), *getattr(parameter, "secondary_opts", ())}
    for argument, following in zip(arguments, [*arguments[1:], None], strict=False):
        name, has_value, value = argument.partition("=")
        if name in names and (has_value or following is not None):
            return f": {value if has_value else following!r}"
    return ""


def _end(message: str, code: int) -> int:
    if os.environ.get("EVALPLUS_LITE_DEBUG") and sys.exc_info()[0] is not None:
        for line in traceback.format_exc().splitlines():
            print(printable(line), file=sys.stderr)
    print(printable(f"evalplus-lite: {' '.join(message.split())}"), file=sys.stderr)
    return code
