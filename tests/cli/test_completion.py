"""Tab in a real shell: commands, options and data sets are completed, and nothing is run."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import sys
import time
from pathlib import Path

import pytest
from support.commands import captured, environment, run_process

TABS = [
    ("evalplus-lite evalu", "evalplus-lite evaluate "),
    ("evalplus-lite evaluate --samp", "evalplus-lite evaluate --samples "),
    ("evalplus-lite exe pred", "evalplus-lite exe predict "),
    ("evalplus-lite evaluate -d - -d mbp", "evalplus-lite evaluate -d - -d mbpp+ "),
]
"""What is typed before the key, and what then stands there."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder, with the command below ``bin``."""
    command = tmp_path / "bin" / "evalplus-lite"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m evalplus_lite "$@"\n')
    command.chmod(0o755)
    return tmp_path


def variables(home: Path) -> dict[str, str]:
    path = f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"
    changes = {"HOME": str(home), "PATH": path, "PS1": "> ", "TERM": "dumb", "COLUMNS": "200"}
    return environment(home / "cache", **changes)


def script(shell: str, home: Path) -> str:
    asked = {"_EVALPLUS_LITE_COMPLETE": f"source_{shell}"}
    done = run_process(folder=home, variables={**variables(home), **asked})
    assert done.returncode == 0, done.stderr
    return done.stdout


def typed(shell: list[str], home: Path, prepare: str, lines: list[str]) -> list[str]:
    """Type lines with a tab at the end of each into an interactive shell; return what then stands.

    Each is preceded by ``echo``, so that what is completed is printed and not run.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(home)
        os.execvpe(shell[0], shell, variables(home))
    try:
        os.write(terminal, f"{prepare}; echo rea''dy\n".encode())
        _until(terminal, rb"ready\r?\n")
        found = []
        for line in lines:
            os.write(terminal, f"{line}\t".encode())
            # The end of the line is typed once the shell has answered the key.
            os.write(terminal, b".end\x01echo begin.\x05\n")
            found.append(_until(terminal, rb"[\r\n]begin\.(.*?)\.end").decode())
        return found
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)


def _until(terminal: int, pattern: bytes) -> bytes:
    """Return what matched, once the shell has printed it."""
    seen, end = b"", time.monotonic() + 60
    while not (match := re.search(pattern, seen)):
        assert time.monotonic() < end, seen
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 65536)
    return match[1] if match.re.groups else b""


def test_bash_completes(home: Path) -> None:
    """In an interactive bash, after its script was sourced."""
    (home / "complete.sh").write_text(script("bash", home))
    shell = ["bash", "--norc", "--noprofile", "-i"]
    prepare = ". ./complete.sh; bind 'set bell-style none'"
    found = typed(shell, home, prepare, [before for before, _ in TABS])
    assert found == [after for _, after in TABS]


def test_fish_completes(home: Path) -> None:
    """Fish lists the same words, each with its help."""
    if shutil.which("fish") is None:
        pytest.skip("needs fish")
    (home / "complete.fish").write_text(script("fish", home))
    for before, after in TABS[::3]:
        done = captured(
            ["fish", "--no-config", "-c", f"source complete.fish; complete -C '{before}'"],
            cwd=home,
            env=variables(home),
        )
        words = {line.partition("\t")[0] for line in done.stdout.splitlines()}
        assert words == {after.split()[-1]}, done


def test_zsh_completes(home: Path) -> None:
    """In an interactive zsh, after its script was sourced."""
    if shutil.which("zsh") is None:
        pytest.skip("needs zsh")
    (home / "complete.zsh").write_text(script("zsh", home))
    found = typed(
        ["zsh", "-f", "-i"],
        home,
        "bindkey -e; autoload -Uz compinit; compinit -D; . ./complete.zsh; unsetopt beep",
        [before for before, _ in TABS[::3]],
    )
    assert found == [after for _, after in TABS[::3]]


def test_it_is_installed(home: Path) -> None:
    """``--install-completion`` writes into the start file of the shell that it is called from."""
    done = captured(
        ["bash", "-c", "evalplus-lite --install-completion; true"], cwd=home, env=variables(home)
    )
    assert "bash completion installed" in done.stdout, done
    assert "evalplus-lite" in (home / ".bashrc").read_text()
