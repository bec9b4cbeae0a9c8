"""The hostile and honest programs, their tiny problems, and what they find when they run.

Shared by the tests here and by ``scripts/benchmarks/attacks.py``. A program is a file with a
docstring of header lines: ``problem`` (its task below, by default ``add``), ``tries`` (what it
does), ``sound`` (the verdicts that a sound verifier may give, separated by ``|``), ``needs`` (a
package), ``uses`` (the file in ``programs/parts`` that its text begins with). A program whose
sound verdict is ``pass`` returns ``"BREACH"`` if something let it through that should not have.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalplus_lite.types import VERDICTS, Rule

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
SECRET = "sk-do-not-read-this"

CHECK = '''
def precondition(x):
    return True

def check(inputs, output, expected):
    """Any root of y * y == x is right."""
    (x,) = inputs
    return type(output) in (int, float) and abs(output * output - x) < 1e-6
'''


PYTHON = Rule()


@dataclass(frozen=True)
class Problem:
    """A tiny task: inputs, right outputs, and how they are compared."""

    inputs: list[list[Any]]
    expected: list[Any]
    rule: Rule = PYTHON
    contract: str | None = None


PROBLEMS = {
    "add": Problem([[1, 2], [3, 4], [-5, 5], [10, 21]], [3, 7, 0, 31]),
    "firstn": Problem([[3], [5], [1]], [[0, 1, 2], [0, 1, 2, 3, 4], [0]]),
    "mean": Problem([[[1.0, 2.0]], [[3.0, 4.5]], [[7.0]]], [1.5, 3.75, 7.0]),
    "total": Problem([[[1, 2]], [[3, 4]], [[5]]], [3, 7, 5]),
    "text": Problem([[2], [3]], ["abab", "ababab"]),
    "blob": Problem([[2], [3], [1]], [b"\0\0", b"\0\0\0", b"\0"]),
    "table": Problem([[1], [2]], [{1: "1"}, {2: "2"}]),
    "unique": Problem([[[1, 2, 3, 1]], [[5, 5]]], [{1, 2, 3}, {5}]),
    "wide": Problem([[100_000], [90_000]], [set(range(100_000)), set(range(90_000))]),
    "bag": Problem([[[3, 1]], [[2]]], [[1, 3], [2]], Rule("unordered")),
    "strictset": Problem([[[3, 1]], [[2]]], [{1, 3}, {2}], Rule("strict")),
    "plane": Problem([[1], [2]], [1 + 1j, 2 + 1j]),
    "checked": Problem([[4], [9]], [2.0, 3.0], contract=CHECK),
    "isodd": Problem([[1], [2]], [True, False]),
    "nanf": Problem([[1.0]], [float("nan")]),
    "nankeys": Problem([[1], [2]], [{float("nan"): n, float("nan"): n} for n in (1, 2)]),
    "mixed": Problem([[0], [1], [2]], [0.5, 10**9, 10**9]),
    "find_zero": Problem(
        [[[1, 2]], [[-6, 11, -6, 1]]],
        [-0.5, 1.0],
        contract='''
def precondition(xs):
    return True

def check(inputs, output, expected):
    """Any root of the polynomial is right."""
    return type(output) is float and abs(sum(c * output**i for i, c in enumerate(inputs[0]))) < 1e-4
''',
    ),
}
REFERENCES = {
    "add": "def add(a, b):\n    return a + b\n",
    "firstn": "def firstn(n):\n    return list(range(n))\n",
    "mean": "def mean(xs):\n    return sum(xs) / len(xs)\n",
    "total": "def total(xs):\n    return sum(xs)\n",
    "text": "def text(n):\n    return 'ab' * n\n",
    "blob": "def blob(n):\n    return bytes(n)\n",
    "table": "def table(n):\n    return {n: str(n)}\n",
    "unique": "def unique(xs):\n    return set(xs)\n",
    "wide": "def wide(n):\n    return set(range(n))\n",
    "bag": "def bag(xs):\n    return sorted(xs)\n",
    "strictset": "def strictset(xs):\n    return set(xs)\n",
    "plane": "def plane(x):\n    return x + 1j\n",
    "checked": "def checked(x):\n    return x**0.5\n",
    "isodd": "def isodd(n):\n    return n % 2 == 1\n",
    "nanf": "def nanf(x):\n    return float('nan')\n",
    "nankeys": "def nankeys(n):\n    return {float('nan'): n, float('nan'): n}\n",
    "mixed": "def mixed(x):\n    return 0.5 if x == 0 else 10**9\n",
    "find_zero": "def find_zero(xs):\n    return -0.5 if len(xs) == 2 else 1.0\n",
}
"""A right program for each problem."""
HONEST = "def add(a, b):\n    return a + b\n"
NOT_PASS = frozenset(VERDICTS) - {"pass"}
ANY = frozenset(VERDICTS)
# What the shared programs' prose calls sound, where it is not simply FAIL, TIMEOUT or PASS.
SHARED_SOUND = {
    "a36_int_for_bool": ANY,  # equal under Python's ==, which is the published rule
    "a46_nondaemon_thread": frozenset({"pass", "timeout"}),
    "c02_wrong": frozenset({"fail"}),
    "c03_raise": frozenset({"error"}),
    "c04_loop": frozenset({"timeout"}),
    "a53_segfault": frozenset({"crash"}),
}


BY_THE_WALL_CLOCK = frozenset({"a40_ignore_alarm"})
"""Programs that loop for some wall time: where a busy machine gives them fewer CPU seconds than
their limit in that time, they keep to it, and passing them is right."""


@dataclass(frozen=True)
class Program:
    """One program of the corpus; ``sound`` holds the verdicts that a sound verifier may give."""

    name: str
    problem: str
    tries: str
    sound: frozenset[str]
    needs: str | None
    text: str
    shared: bool = False

    def source(self, places: Mapping[str, str]) -> str:
        """Return its text with what it could find out about its surroundings filled in."""
        return re.sub(r"@([A-Z]+)@", lambda m: places.get(m[1], m[0]), self.text)

    @property
    def honest(self) -> bool:
        """Whether it is a control: correct code, or code that fails in an everyday way."""
        return self.name.startswith(("honest", "c0")) or "tries: nothing" in self.text


def header(text: str) -> dict[str, str]:
    """Return the header lines of a program's docstring; later lines may continue one."""
    docstring = text.split('"""')[1]
    fields: dict[str, str] = {}
    name = ""
    for line in docstring.splitlines():
        match = re.match(r"([a-z]+): (.*)", line)
        if match:
            name = match[1]
            fields[name] = match[2]
        elif name and line.startswith("    "):
            fields[name] += " " + line.strip()
    return fields


def own_programs() -> list[Program]:
    """Return this project's programs, by name."""
    found = []
    for path in sorted((HERE / "programs").glob("*.py")):
        text = path.read_text()
        fields = {"problem": "add", **header(text)}
        sound = frozenset(fields["sound"].split("|"))
        if "uses" in fields:
            text = (HERE / "programs" / "parts" / f"{fields['uses']}.py").read_text() + text
        found.append(
            Program(path.stem, fields["problem"], fields["tries"], sound, fields.get("needs"), text)
        )
    return found


def shared_programs(folder: Path) -> list[Program]:
    """Return the programs of a folder of attacks that is not part of this project."""
    found = []
    for path in sorted(folder.glob("[ac][0-9]*.py")):
        text = path.read_text()
        fields = header(text)
        word = fields["sound"].split()[0].strip("(;:,").lower()
        sound = {"timeout": frozenset({"timeout"}), "pass": frozenset({"pass"})}.get(word)
        if sound is None:
            sound = NOT_PASS if word in ("fail", "policy") else ANY
        sound = SHARED_SOUND.get(path.stem, sound)
        needs = "numpy" if "import numpy" in text else None
        found.append(
            Program(path.stem, fields["problem"], fields["tries"], sound, needs, text, True)
        )
    return found


@dataclass
class Canary:
    """A folder, a listener and the machine's shared objects: what a program might harm."""

    folder: Path
    port: int
    abstract: str
    listeners: list[socket.socket] = field(default_factory=list)

    def places(self, supervisor: int) -> dict[str, str]:
        """Return what programs are told: an attacker may know all of it."""
        return {
            "CANARY": str(self.folder),
            "PORT": str(self.port),
            "ABSTRACT": self.abstract,
            "PROJECT": str(PROJECT),
            "SUPERVISOR": str(supervisor),
            "SECRET": SECRET,
        }

    def state(self) -> dict[str, object]:
        """Return all that must stay as it is."""
        found: dict[str, object] = {}
        for path in [self.folder, *sorted(self.folder.rglob("*"))]:
            about = path.lstat()
            text = path.read_bytes() if path.is_file() else b""
            found[str(path)] = (about.st_mode, about.st_uid, about.st_mtime_ns, text)
            found[f"{path} attributes"] = os.listxattr(path)
        for kind in ("shm", "sem", "msg"):
            with contextlib.suppress(OSError):
                found[kind] = Path("/proc/sysvipc", kind).read_text().count("\n")
        for folder in ("/dev/shm", "/dev/mqueue"):
            if os.path.isdir(folder):
                found[folder] = sorted(n for n in os.listdir(folder) if "planted" in n)
        return found

    def reached(self) -> list[str]:
        """Return what arrived at the listeners since the last call."""
        seen = []
        for listener in self.listeners:
            with contextlib.suppress(BlockingIOError):
                if listener.type == socket.SOCK_STREAM:
                    listener.accept()[0].close()
                else:
                    listener.recv(100)
                seen.append(str(listener.getsockname()))
        return seen


@contextlib.contextmanager
def canary() -> Iterator[Canary]:
    """Set up what programs might harm: files, TCP and UDP ports, local sockets, variables."""
    with tempfile.TemporaryDirectory(prefix="canary") as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        os.chmod(folder, 0o777)
        (folder / "precious").write_text("precious")
        os.chmod(folder / "precious", 0o666)  # only the sandbox stands before it
        with contextlib.suppress(OSError):
            os.setxattr(folder / "precious", "user.kept", b"kept")
        tcp, udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        udp.bind(tcp.getsockname())
        listeners = [tcp, udp]
        abstract = f"canary-{os.getpid()}"
        for address in ("\0" + abstract, str(folder / "socket")):
            local = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            local.bind(address)
            listeners.append(local)
        os.chmod(folder / "socket", 0o777)
        for listener in listeners:
            listener.setblocking(False)
            stack.enter_context(listener)
        variables = {
            "CANARY": name,
            "CANARY_PORT": str(tcp.getsockname()[1]),
            "OPENAI_API_KEY": SECRET,
        }
        before = {key: os.environ.get(key) for key in variables}
        os.environ.update(variables)
        try:
            yield Canary(folder, tcp.getsockname()[1], abstract, listeners)
        finally:
            for key, value in before.items():
                if value is None:
                    del os.environ[key]
                else:
                    os.environ[key] = value


def descendants(pid: int) -> set[int]:
    """Return the pids of all processes below ``pid``."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                text = Path("/proc", entry, "stat").read_text()
                children.setdefault(int(text.rsplit(")", 1)[1].split()[1]), []).append(int(entry))
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found.add(child)
            waiting.append(child)
    return found
