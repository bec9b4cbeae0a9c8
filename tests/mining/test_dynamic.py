"""Mined programs in the sandbox: proof, surroundings, inputs, counters, whole runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.errors import InputError, SandboxUnavailable
from evalplus_lite.llm import Reply
from evalplus_lite.mining.annotations import Type, read_type
from evalplus_lite.mining.archives import open_package
from evalplus_lite.mining.breakpoints import state_tasks
from evalplus_lite.mining.campaign import Campaign, Outputs
from evalplus_lite.mining.candidates import Parameter, Signature
from evalplus_lite.mining.chain import chain, chained_tasks, merge
from evalplus_lite.mining.grow import grow
from evalplus_lite.mining.mine import PackageMine, Runner, Settings
from evalplus_lite.mining.proof import Original, Sandboxes, prove
from evalplus_lite.mining.runs import Call, Subject, run
from evalplus_lite.mining.runs import count as run_counters
from evalplus_lite.mining.runtime import COUNTERS, instrument, variation
from evalplus_lite.mining.tasks import read_tasks
from evalplus_lite.mining.validators import judge

ONE = Signature((Parameter("x", "positional", Type("int")),), Type("int"))


@pytest.fixture(scope="module")
def sandboxes() -> Iterator[Sandboxes]:
    """Sandboxes for all tests here, started when first used."""
    with Sandboxes() as found:
        try:
            found.plain.run(Subject("f", ONE, "def f(x): return x").program(), _no_inputs())
        except SandboxUnavailable as error:
            pytest.skip(f"needs a sandbox: {error}")
        yield found


def _no_inputs() -> Any:
    from evalplus_lite.sandbox import Inputs

    return Inputs.of([([1], {})])


def mine_all(path: Path, sandboxes: Sandboxes, **settings: Any) -> tuple[list[Any], dict[str, str]]:
    """Return the tasks of a package and the reasons of its rejects."""
    with open_package(path) as package:
        mine = PackageMine(package, Settings(**settings), sandboxes=sandboxes)
        results = list(mine.yields())
    tasks = [r.task for r in results if r.task is not None]
    return tasks, {r.reject.function: r.reject.reason for r in results if r.reject is not None}


SLUG = '''
    import re
    _WORD = re.compile(r"[a-z0-9]+")
    def slug(text: str, sep: str = "-", limit: int = 20) -> str:
        """Join words: slug("Hello World") is "hello-world"."""
        if limit < 0:
            raise ValueError(f"bad limit {limit}")
        words = _WORD.findall(text.lower())
        out = ""
        for word in words:
            if len(out) + len(word) > limit:
                break
            out += (sep if out else "") + word
        return out
    '''


def test_a_function_is_mined_with_valid_reproducible_cases(toys: Any, sandboxes: Sandboxes) -> None:
    """A typed function ends as a task whose cases meet all validators, the same in two runs."""
    path = toys.wheel({"toy.py": SLUG})
    first, rejects = mine_all(path, sandboxes)
    again, _ = mine_all(path, sandboxes)
    assert not rejects
    assert [t.to_json() for t in first] == [t.to_json() for t in again]
    (task,) = first
    assert len(task.cases) == 15
    assert task.facts["validators"] == {"failed": [], "core": True, "salvaged": False}
    assert task.facts["compared"] > 40
    assert task.facts["variation"]["lines"] > 0
    assert all(case.runtime["lines"] >= 2 for case in task.cases)
    kinds = {case.answer.kind for case in task.cases}
    assert kinds <= {"value", "error"}


def test_expected_answers_come_from_running_the_code(toys: Any, sandboxes: Sandboxes) -> None:
    """Every recorded answer is what the function gives when called here."""
    (task,), _ = mine_all(toys.wheel({"toy.py": SLUG}), sandboxes)
    space: dict[str, Any] = {}
    exec(task.code, space)
    for case in task.cases:
        if case.answer.kind == "value":
            assert space["slug"](*case.call.args, **case.call.kwargs) == case.answer.value
        else:
            with pytest.raises(ValueError, match=r"^bad limit -") as caught:
                space["slug"](*case.call.args, **case.call.kwargs)
            assert (case.answer.type, case.answer.message) == ("ValueError", str(caught.value))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import mimetypes\ndef f(x: str) -> str:\n    return str(mimetypes.guess_type(x))\n",
         "files"),
        ("def f(x: int) -> str:\n    return repr(object())\n", "shows an address"),
        ("def f(x: str) -> str:\n    return ','.join({x, 'a', 'bb', 'ccc', 'dddd'})\n",
         "changes between runs"),
        ("import datetime\nclock = datetime.datetime\ndef f(x: int) -> str:\n"
         "    return str(vars)[:0] + getattr(clock, 'no' + 'w')().isoformat()\n",
         "touches the outside"),
        ("import calendar\ndef f(x: int) -> str:\n    return str(object.__hash__(object()))\n",
         "changes between runs"),
        ("def f(x: int) -> int:\n    return object()\n", "no answer is plain data"),
        ("assert False\ndef f(x: int) -> int:\n    return x\n", "original does not load"),
        ("X = 1 // 0\ndef f(x: int) -> int:\n    return x + X\n", "inlined code does not load"),
    ],
)  # fmt: skip
def test_what_only_runs_can_show_is_rejected(
    toys: Any, sandboxes: Sandboxes, body: str, reason: str
) -> None:
    """Hidden impurity, hash order, addresses and code that does not load are found by running."""
    path = toys.wheel({"toy.py": body})
    tasks, rejects = mine_all(path, sandboxes, rounds=1)
    if "getattr" in body:
        # Text alone already refuses this; the runs must see it too.
        assert rejects["toy.f"] == "dynamic code"
        rejects["toy.f"] = _proved_despite_text(body, sandboxes)
    assert not tasks
    assert rejects["toy.f"] == reason


def _proved_despite_text(body: str, sandboxes: Sandboxes) -> str:
    found = run(sandboxes.others[0], Subject("f", ONE, body), [Call((1,))], variant=1)
    assert found.touched == ("datetime.now",)
    return "touches the outside"


@pytest.mark.parametrize(
    ("code", "touched"),
    [
        ("import time\ndef f(x): return time.time()", "time.time"),
        ("from random import random\ndef f(x): return random()", "random.random"),
        ("import os\ndef f(x): return os.environ.get('HOME')", "os.environ"),
        ("import os\ndef f(x): return os.getcwd()", "os.getcwd"),
        ("import datetime\ndef f(x): return datetime.date.today().isoformat()", "datetime.today"),
        ("import time\ndef f(x): return time.strftime('%Y')", "time.strftime"),
        ("import uuid\ndef f(x): return str(uuid.uuid4())", "os.urandom"),
        ("def f(x): return open('/etc/hostname').read()", "open /etc/hostname"),
        ("import socket\ndef f(x): return socket.gethostname()", "socket.gethostname"),
        ("import subprocess\ndef f(x): return subprocess.call(['ls'])", "subprocess.Popen"),
    ],
)
def test_touching_the_outside_is_noticed(sandboxes: Sandboxes, code: str, touched: str) -> None:
    """Clock, chance, environment, folder, files, network and processes are each seen when used."""
    found = run(sandboxes.others[0], Subject("f", ONE, code), [Call((1,))], variant=1)
    assert any(what.startswith(touched) for what in found.touched), found


def test_pure_code_touches_nothing(sandboxes: Sandboxes) -> None:
    """Importing the library, dates as values, regexes and dataclasses are no touch."""
    code = (
        "import re, datetime, decimal, dataclasses, json, collections\n"
        "@dataclasses.dataclass\nclass P:\n    x: int\n"
        "T = collections.namedtuple('T', 'a b')\n"
        "def f(x):\n    import textwrap\n"
        "    d = datetime.date(2020, 1, 1) + datetime.timedelta(days=x)\n"
        "    return [d, isinstance(d, datetime.date), json.dumps([x]), T(1, P(2).x),\n"
        "            str(decimal.Decimal(x)), textwrap.shorten('a b', 5), (i for i in range(x))]\n"
    )
    for number in (0, 1):
        sandbox = sandboxes.others[0] if number else sandboxes.plain
        found = run(sandbox, Subject("f", ONE, code), [Call((2,))], variant=number)
        assert found.touched == ()
        assert found.answers[0].value[:3] == ["2020-01-03", True, "[2]"]


def test_a_wrong_inlining_is_caught(toys: Any, sandboxes: Sandboxes) -> None:
    """Code that differs from the original on one input is rejected with that input."""
    functions, _ = toys.mined({"toy.py": SLUG})
    function = functions["toy.slug"]
    broken = replace(function, code=function.code.replace("text.lower()", "text"))
    with (
        open_package(toys.wheel({"toy.py": SLUG})) as package,
        Original(package, sandboxes.config) as original,
    ):
        runner = Runner(broken, sandboxes)
        calls = [Call(("abc",)), Call(("Abc",))]
        executed = runner.execute(calls)
        from evalplus_lite.mining.runs import Session

        base = Session(tuple(case.answer for case in executed))
        verdict = prove(broken, calls, base, sandboxes, original)
    assert verdict.problem is not None
    assert verdict.problem.reason == "differs from the original"
    assert "Abc" in verdict.problem.detail


def test_the_original_loads_without_its_other_libraries(toys: Any, sandboxes: Sandboxes) -> None:
    """Missing third-party imports are stood in for, broken siblings too."""
    files = {
        "toy/__init__.py": "import nowhere\nfrom .broken import thing\n",
        "toy/broken.py": "raise RuntimeError('needs the moon')\n",
        "toy/good.py": """
            from nowhere.deep import Base, decorate
            from toy.broken import thing
            HEADER = thing("x")["y"]
            class Mine(Base):
                @decorate
                def method(self): pass
            def triple(x: int) -> int:
                return 3 * x
            """,
    }
    tasks, rejects = mine_all(toys.wheel(files), sandboxes, rounds=2)
    assert not rejects
    assert [task.id for task in tasks] == ["toy-pack/toy.good.triple"]
    assert tasks[0].facts["compared"] > 10


def test_a_module_is_compared_though_its_package_does_not_import(
    toys: Any, sandboxes: Sandboxes
) -> None:
    """What a module takes from a package that fails to import is made up, its siblings are real."""
    files = {
        "toy/__init__.py": """
            import core
            if core.__version__ != '2.1':
                raise SystemError('no')
            class Warned(Warning): pass
            """,
        "toy/base.py": "STEP = 4\n",
        "toy/good.py": """
            from toy import Warned, base
            class Louder(Warned): pass
            def stepped(x: int) -> int:
                return x * base.STEP
            """,
    }
    tasks, rejects = mine_all(toys.wheel(files), sandboxes, rounds=2)
    assert not rejects
    assert [task.id for task in tasks] == ["toy-pack/toy.good.stepped"]


def test_optional_libraries_stay_absent_from_the_original(toys: Any, sandboxes: Sandboxes) -> None:
    """A library that is merely tried for is not stood in for; one that must be there is."""
    files = {
        "toy/__init__.py": "",
        "toy/good.py": """
            import needed
            from needed.deep import Base
            try:
                from optional import speed, __version__
            except ImportError:
                speed = None
            else:
                major, minor, micro, extra = __version__.split(".")
            class Mine(Base): pass
            def halved(x: int) -> int:
                return x // 2 + (0 if x else 1)
            """,
    }
    tasks, rejects = mine_all(toys.wheel(files), sandboxes, rounds=2)
    assert not rejects
    assert [task.id for task in tasks] == ["toy-pack/toy.good.halved"]


def test_dates_generators_and_sets_are_plain_data(toys: Any, sandboxes: Sandboxes) -> None:
    """Dates travel as text, iterators become lists, sets stay sets."""
    body = """
        import datetime
        from typing import Iterable, Optional
        def next_days(day: datetime.date, count: int) -> Iterable[datetime.date]:
            for number in range(min(count, 5)):
                yield day + datetime.timedelta(days=number)
        def letters(text: str, *more: str, upper: bool = False) -> set[str]:
            found = set(text).union(*more)
            return {c.upper() for c in found} if upper else found
        """
    tasks, rejects = mine_all(toys.wheel({"toy.py": body}), sandboxes)
    assert not rejects
    days, letters = tasks
    assert all(type(c.call.args[0]) is str for c in days.cases)
    assert any(type(c.answer.value) is list and c.answer.value for c in days.cases)
    assert all(type(c.answer.value) is set for c in letters.cases if c.answer.kind == "value")


@pytest.mark.parametrize(
    "body", ['"a" * x', "[0] * x", "1 << 4 * x", "{n: str(n) for n in range(x)}", "range(x)"]
)
def test_answers_too_large_to_ask_for_are_no_cases(sandboxes: Sandboxes, body: str) -> None:
    """An answer of a hundred thousand items is unfit, a short one a value, on every run."""
    subject = Subject("f", ONE, code=f"def f(x): return {body}")
    small, large = run(sandboxes.plain, subject, [Call((10,)), Call((200_000,))]).answers
    assert small.kind == "value"
    assert large.kind == "unfit"
    assert "TooLong" in large.type


def test_counters_count_what_runs(sandboxes: Sandboxes) -> None:
    """Loops, arithmetic, conditionals, lines and calls are counted exactly, loading left out."""
    code = """from __future__ import annotations
import textwrap
TABLE = [i * 2 for i in range(100)]
def helper(n):
    return n - 1
def f(x):
    total = 0
    for i in range(x):
        if i % 2:
            total += helper(i) * 2
    while total > 100:
        total = total / 10
    squares = [n ** 2 for n in range(x)]
    return len(squares) + int(total)
"""
    written = instrument(code)
    assert written is not None
    subject = Subject("f", ONE, written)
    (found,) = run_counters(sandboxes.plain, subject, [Call((4,))], COUNTERS)
    assert found is not None
    assert found["loop_iterations"] == 8
    assert (found["additions"], found["subtractions"], found["multiplications"]) == (3, 2, 2)
    assert (found["divisions"], found["powers"], found["conditionals"]) == (4, 4, 4)
    assert (found["user_calls"], found["builtin_calls"]) == (2, 4)
    assert found["calls"] == 6
    assert found["lines"] == 1 + 1 + 4 + 2 + 2 + 1 + 1 + 1
    assert found["library_lines"] == 0
    assert found["variables_declared"] >= 3


def test_instrumented_code_answers_the_same(toys: Any, sandboxes: Sandboxes) -> None:
    """Counters change no answer, on code with every kind of statement."""
    code = '''from __future__ import annotations
class A:
    """Doc."""
    def __init__(self): self.v = [1]
    def __iter__(self):
        yield from self.v
    def up(self, n): return super().__hash__() * 0 + n
def deco(fn):
    def inner(*a, **k):
        return fn(*a, **k)
    return inner
@deco
def f(x):
    """Doc."""
    global G
    G = x
    def rec(n):
        nonlocal_ = n
        return 1 if n <= 0 else rec(n - 1) + 1
    try:
        out = {k: v for k, v in zip("ab", (x, -x)) if k}
        with memoryview(b"abc") as m:
            out["m"] = m[0]
        match x:
            case 1: out["c"] = "one"
            case int() if x > 5: out["c"] = f"{x:>{3}} {'big'}"
            case _: out["c"] = [*A()]
        for i, j in enumerate("xy"):
            if i: continue
            out[j] = A().up(i)
        else:
            out["else"] = (y := 5) + y
        assert x != 3, "three"
        del i
        return [out, rec(3), sum(n for n in range(3)), lambda: 0][:3]
    except ZeroDivisionError as error:
        raise ValueError("no") from error
    finally:
        x += 1
'''
    written = instrument(code)
    assert written is not None
    calls = [Call((n,)) for n in (0, 1, 3, 7)]
    plain = run(sandboxes.plain, Subject("f", ONE, code), calls)
    quiet = "class Q:\n    def __getattr__(s, n): return lambda *a: a[-1]\n_count = Q()\n"
    head, _, rest = written.partition("\n")
    counted = run(sandboxes.plain, Subject("f", ONE, f"{head}\n{quiet}{rest}"), calls)
    assert [a.key for a in plain.answers] == [a.key for a in counted.answers]
    assert any(a.kind == "error" for a in plain.answers)


def test_variation_is_deviation_over_mean() -> None:
    """The coefficient of variation is the population's, per statistic."""
    assert variation([{"a": 1, "b": 0}, {"a": 3, "b": 0}]) == {"a": 0.5, "b": 0.0}


def test_growth_goes_on_while_validators_hold(toys: Any, sandboxes: Sandboxes) -> None:
    """The loop passes 100 cases of one function, all distinct, never breaking validators 4 to 6."""
    functions, _ = toys.mined({"toy.py": SLUG})
    function = functions["toy.slug"]
    runner = Runner(function, sandboxes)
    found = grow(function, runner.execute, target=100, seed=0)
    assert len(found.cases) == 100
    assert len({case.call.key for case in found.cases}) == 100
    assert not judge(found.cases)
    assert found.batches[-1].total == 100


def test_a_campaign_resumes_and_accounts_for_everything(toys: Any, tmp_path: Path) -> None:
    """A second run mines only what is missing; packages that cannot be used are counted."""
    path = toys.wheel({"toy.py": SLUG, "toy2.py": "def g(x: int) -> None: pass\n"})
    closed = tmp_path / "closed"
    (closed / "src").mkdir(parents=True)
    (closed / "src" / "shut.py").write_text("def f(x: int) -> int: return x\n")
    (closed / "PKG-INFO").write_text("Name: shut\nVersion: 1\nLicense-Expression: GPL-3.0-only\n")
    out = Outputs(tmp_path / "out" / "tasks.jsonl")
    packages = [str(path), str(closed), str(tmp_path / "gone.whl")]
    seen: list[tuple[str, bool]] = []
    settings = Settings(rounds=2)
    campaign = Campaign(
        packages[:2], out, settings, report=lambda p: seen.append((p.package, p.resumed))
    )
    campaign.run()
    campaign.packages = packages
    funnel = campaign.run()
    assert seen == [(p, False) for p in packages[:2]] + [(p, True) for p in packages[:2]] + [
        (packages[2], False)
    ]
    assert funnel.counts["packages"] == 3
    assert funnel.reasons["packages", "licence not permissive"] == 1
    assert funnel.reasons["packages", "cannot be had or read"] == 1
    assert funnel.reasons["accepted", "returns None"] == 1
    assert [task.id for task in read_tasks(out.tasks)] == ["toy-pack/toy.slug"]
    assert json.loads(out.beside("funnel.json").read_text()) == funnel.to_json()
    typed = funnel.counts["typed"]
    assert typed == funnel.counts["mined"] + sum(
        n for (stage, _), n in funnel.reasons.items() if stage != "packages"
    )
    Path(packages[2]).write_bytes(path.read_bytes())
    assert campaign.run().reasons["packages", "cannot be had or read"] == 0
    with pytest.raises(InputError):
        Campaign(packages, out, Settings(seed=1)).run()


def test_workers_change_nothing(toys: Any, tmp_path: Path) -> None:
    """Two worker processes write the same task file as one."""
    first = toys.wheel({"toy.py": SLUG})
    second = tmp_path / "second"
    second.mkdir()
    (second / "other.py").write_text(
        "def roman(n: int) -> str:\n    if n < 0:\n        raise ValueError(n)\n"
        "    return 'M' * (n // 1000 % 9) + 'I' * (n % 10)\n"
    )
    (second / "PKG-INFO").write_text("Name: other\nVersion: 1\nLicense-Expression: MIT\n")
    texts = []
    for workers in (1, 2):
        out = Outputs(tmp_path / str(workers) / "tasks.jsonl")
        Campaign([str(first), str(second)], out, Settings(rounds=2), workers=workers).run()
        texts.append(out.tasks.read_bytes())
    assert texts[0] == texts[1]
    assert texts[0].count(b"\n") == 2


def test_chains_compose_and_clashes_are_refused(toys: Any, sandboxes: Sandboxes) -> None:
    """A chained task's answers are those of one function on the other's."""
    body = """
        def count(text: str) -> int:
            return len(text.split())
        def stars(number: int, mark: str = "*") -> str:
            return mark * (number % 7) + str(number)
        def both(text: str, number: int) -> str:
            return f"{text}={number}" if number > 1 else text.upper()
        """
    tasks, _ = mine_all(toys.wheel({"toy.py": body}), sandboxes, rounds=3)
    by_name = {task.entry_point: task for task in tasks}
    linked = chain(by_name["count"], by_name["stars"])
    assert linked is not None
    assert "return stars(count(text))" in linked.code
    assert chain(by_name["stars"], by_name["stars"]) is None
    made = list(chained_tasks(tasks, sandboxes, count=10, seed=0))
    assert made
    for task in made:
        space: dict[str, Any] = {}
        exec(task.code, space)
        for case in task.cases:
            if case.answer.kind == "value":
                assert space[task.entry_point](*case.call.args) == case.answer.value
    assert any(task.entry_point == "composed" for task in made)
    assert merge(["X = 1\n", "X = 2\n"], "") is None
    assert merge(["import re\n", "import regex as re\n"], "") is None


def test_breakpoint_states_are_those_of_the_run(toys: Any, sandboxes: Sandboxes) -> None:
    """A state task asks for variables before a line runs, and knows their values."""
    body = """
        def total(n: int) -> int:
            result = 0
            for i in range(n % 5 + 2):
                result += i * i
            return result
        """
    tasks, _ = mine_all(toys.wheel({"toy.py": body}), sandboxes, rounds=2)
    (state,) = state_tasks(tasks, sandboxes, count=1, seed=3)
    stop = state.facts["breakpoint"]
    held = state.cases[0].answer.value
    assert set(stop["variables"]) == set(held)
    if stop["text"].startswith("result += i"):
        assert held["i"] == stop["hit"] - 1
        assert held["result"] == sum(i * i for i in range(held["i"]))
    assert state.code.split("\n")[stop["line"] - 1].strip() == stop["text"]


@pytest.mark.parametrize(
    "text",
    ["int", "list[tuple[str, int]] | None", "dict[str, list[int]]", "tuple[int, ...]",
     "Literal['a', 1]", "Sequence[str]", "frozenset[bool] | date"],
)  # fmt: skip
def test_types_are_read_back_as_written(text: str) -> None:
    """A type's text gives the same type again."""
    assert str(read_type(text)) == text


def test_a_task_grows_past_fifteen_cases(toys: Any, sandboxes: Sandboxes) -> None:
    """With more cases asked for, the growth loop adds them, logs batches and proves them all."""
    (task,), _ = mine_all(toys.wheel({"toy.py": SLUG}), sandboxes, cases=60)
    assert len(task.cases) == 60
    assert len({case.call.key for case in task.cases}) == 60
    assert task.facts["generation"]["batches"][-1]["total"] == 60
    assert task.facts["compared"] >= 60


@pytest.mark.parametrize(
    ("said", "mode"),
    [
        ([{"a": n} for n in range(12)], "llm"),
        ([{"a": n} for n in range(3)], "llm and types"),
        ([], "types after llm"),
    ],
)
def test_a_models_cases_are_filled_up_by_type(
    toys: Any, sandboxes: Sandboxes, said: list[dict[str, int]], mode: str
) -> None:
    """A model's cases come first; too few are filled up, none are replaced, and the row says so."""
    rows = [{"args": row, "kwargs": {}} for row in said]
    source = Talker(json.dumps({"test_cases": rows}))
    body = "def mod(a: int) -> str:\n    return str(a % 7) + 'x'\n"
    with open_package(toys.wheel({"toy.py": body})) as package:
        mine = PackageMine(package, Settings(model="m"), sandboxes=sandboxes, source=source)
        (result,) = mine.yields()
    assert result.task is not None
    facts = result.task.facts
    assert facts["validators"]["failed"] == []
    assert facts["generation"]["mode"] == mode
    assert [case.call.args[0] for case in result.task.cases][: len(said)] == [
        row["a"] for row in said
    ]
    assert facts["generation"]["requests"] == (1 if mode == "llm" else 6)
    assert facts["generation"]["prompt_tokens"] == 10 * facts["generation"]["requests"]


class Talker:
    """A source that always says the same."""

    model = "m"

    def __init__(self, said: str) -> None:
        self.said = said

    def ask(self, request: Any, *, cut_off: str = "error") -> Reply:
        return Reply(text=self.said, prompt_tokens=10, completion_tokens=5)

    def each(self, function: Any, items: Any) -> Any:
        return map(function, items)


def test_slow_inputs_cut_a_batch_short(sandboxes: Sandboxes) -> None:
    """After so many slow cases the rest is not run; what the quick ones touched is still known."""
    code = "import os\ndef f(x):\n    os.listdir('/')\n    while x > 9: pass\n    return x\n"
    calls = [Call((n,)) for n in (1, 99, 2, 98, 3, 4)]
    found = run(sandboxes.plain, Subject("f", ONE, code), calls, cpu=0.2, max_slow=2)
    kinds = [answer.kind for answer in found.answers]
    assert kinds == ["value", "slow", "value", "slow", "unfit", "unfit"]
    assert found.touched == ("os.listdir /",)
