"""The program with all commands; errors end it with one line and an exit code."""

from __future__ import annotations

import inspect
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from evalplus_lite.cli.escaping import printable
from evalplus_lite.errors import EvalPlusLiteError, InfrastructureError, LLMError

typed: ContextVar[Sequence[str]] = ContextVar("typed", default=())
"""The command line after the program's name."""
DONE, ATTENTION, BAD_INPUT, MACHINE, SERVER, INTERRUPTED = 0, 1, 2, 3, 4, 130

NAME = "evalplus-lite"
HELP = """Rigorous test suites for code benchmarks, and a verifier that is hard to cheat.

For a first look, without key and network: [bold]evalplus-lite demo[/bold]. On your own files:

  evalplus-lite evaluate --dataset humaneval --samples samples.jsonl
  evalplus-lite augment  --dataset my_tasks.jsonl --out out/mine
  evalplus-lite evaluate --dataset out/mine/suite.jsonl.gz --samples samples.jsonl
  evalplus-lite reduce   --dataset out/mine/suite.jsonl.gz --samples other_samples.jsonl

Every long command shows its progress, can be killed at any time, and resumes when it is run
again."""

PANELS = (
    "Start here",
    "Your own tasks",
    "Build test suites",
    "Judge programs",
    "Look at results",
    "Execution tasks from packages",
)
LIST = """
Start here
doctor: Show which sandbox layers hold here, tested from inside, and what to install for the others.
cache: Show and clear cached files.
Your own tasks
init: Write task files: commented examples, or drafts from a module or a pytest file.
lint: Check whether each task is fit for evaluation and training, and if not, why.
Build test suites
augment: Add inputs to a dataset, with their expected outputs.
reduce: Choose a few inputs that still reject wrong programs, both known and unknown.
quality: Measure and compare how well suites separate right programs from wrong ones.
Judge programs
generate: Draw programs for a dataset's tasks from any OpenAI-compatible server.
evaluate: Judge programs: pass, fail, error, timeout, crash, memory, unrepresentable.
rerun: Run a judged program on one case again, and show the result.
merge: Merge the output of sharded runs.
"""
"""The commands by panel, each with the first paragraph of its help. A command is the function or
app in the module of its name; importing them all would delay every start by a second."""
WINGS = ("reports", "serving", "exe", "efficiency")
"""The rooms with commands: modules in their folder ``commands``, and a ``LIST`` of them."""


class _Untyped:
    """Omits the type of options without a value from a command's help."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters for the command line and its help."""
        parameters = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return parameters


class _Command(_Untyped, TyperCommand):
    """A command with such help."""


class _Group(_Untyped, TyperGroup):
    """A group of such commands."""


class _Commands(_Group):
    """The commands of ``LIST``, which are shown without importing them."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command's name, the command, and the arguments after it."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, command(str(name)), rest


def command(name: str) -> Any:
    """Return the command, or group of commands, in its module."""
    inner = name.replace("-", "_")
    module = import_module(f"evalplus_lite.{HOMES[name]}.{inner}")
    application: typer.Typer | None = getattr(module, "app", None)
    if application is None:
        application = typer.Typer(rich_markup_mode="rich", add_completion=False)
        application.command(name)(getattr(module, inner))
    application.info.cls = _Group
    for each in application.registered_commands:
        # One line per paragraph or example, so that the help wraps at the screen's width.
        text = inspect.getdoc(each.callback) or ""
        each.cls, each.help = _Command, re.sub(r"(?<!\n)\n(?!\n|\[bold\])", " ", text)
    result = typer.main.get_command(application)
    result.name = name
    return result


app = typer.Typer(
    name=NAME,
    cls=_Commands,
    help=HELP,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _list() -> Iterator[tuple[str, str, str, str]]:
    """Yield panel, name, summary and module of each installed command."""
    lists = {"cli": LIST}
    for wing in WINGS:
        if find_spec(f"evalplus_lite.{wing}") is not None:
            home = f"{wing}.commands"
            lists[home] = import_module(f"evalplus_lite.{home}").LIST
    commands = []
    for home, lines in lists.items():
        panel = ""
        for line in lines.strip().splitlines():
            name, is_command, summary = line.partition(": ")
            if is_command:
                commands.append((panel, name, summary, home))
            else:
                panel = line
    yield from sorted(commands, key=lambda each: PANELS.index(each[0]))


COMMANDS: dict[str, str] = {}
HOMES: dict[str, str] = {}
"""The module of each command."""
for _panel, _name, _summary, _home in _list():
    COMMANDS[_name], HOMES[_name] = _summary, _home
    app.command(_name, help=_summary, rich_help_panel=_panel)(lambda: None)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    if version:
        from evalplus_lite.version import __version__

        print(__version__)
        raise typer.Exit


def run(arguments: list[str]) -> int:
    """Run the program with these arguments and return its exit code."""
    token = typed.set(tuple(arguments))
    try:
        code = _run(arguments)
    finally:
        typed.reset(token)
    if code == INTERRUPTED:  # in any part of the program
        return _end("interrupted; run the same command again to resume", INTERRUPTED)
    return code


def _run(arguments: list[str]) -> int:
    try:
        result = app(arguments, prog_name=NAME, standalone_mode=False)
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
    except BrokenPipeError:  # the reader of our output has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        words = getattr(error, "format_message", None)  # a usage error
        if words is None:
            raise
        if not words().strip():  # no arguments, so the help was shown
            return DONE
        return _end(f"{words()}{_given(error, arguments)} (see --help)", BAD_INPUT)


def _given(error: Exception, arguments: list[str]) -> str:
    """Return the value of the option that an error is about, if known."""
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
