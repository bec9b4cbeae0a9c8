"""Selection of tasks for a frozen set: programs as they are shown, and calls that run much of them.

All rules are counts of runs and lengths of texts; no task is judged by hand.
"""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import median_low

from evalplus_lite.exe.inputs.validators import Executed, balanced
from evalplus_lite.exe.reading.names import bound_names
from evalplus_lite.exe.running.proof import ADDRESS, Sandboxes
from evalplus_lite.exe.running.runs import (
    CallableProgram,
    CallResult,
    Invocation,
    Measured,
    RunResult,
    is_answer,
    measure,
    parts_of,
    run,
)
from evalplus_lite.exe.selecting.static import MAX_CODE
from evalplus_lite.exe.statistics.counting import COUNTERS, instrument
from evalplus_lite.exe.statistics.measures import is_bare_string, static_statistics, variation
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.exe.tasks.worth import (
    FEW_ANSWERS,
    counted_cases,
    has_long_number,
    shows,
    tags_of,
)
from evalplus_lite.types import Value

CASES = 5
"""Minimum number of cases in a task that nobody has reviewed."""
LINES, STATEMENTS, BRANCHES = 12, 7, 3
"""Minimum counts of a case: lines executed, distinct statements, and branch sides or loop
iterations."""
SHARE = 0.5
"""Minimum share of the program's statements that a case executes."""
MOST_LINES, MOST_TEXT = 150, 300
"""Maximum lines that a case executes; maximum characters of its call, and of its answer."""
REACH = 0.75
"""Minimum share of the branches that a task's best case reaches, for its other cases."""
WRITTEN = "written"
"""The source of calls that were written for a set."""
LONG = "programs that are too long, or cannot be counted"
NONE = "no case does enough, with an answer that can be worked out"
ALIKE = "two answers, or one path"
DIFFERENT = "another answer than recorded, as shown"
MOST_ARITHMETIC, MOST_INTEGER = 25, 10**9
"""Maximum multiplications, divisions and powers of a case; maximum integer in its call."""
_DIGITS = re.compile(
    r"\d{10}|[0-9a-f]{32}|(?=[a-zA-Z]*\d+[a-zA-Z]+\d)\w{24}|(?:\\x[0-9a-f]{2}[^\\]{0,3}){8}"
)
"""A number, digest or encoded text that is too long to work out, or eight escaped bytes."""
_ARITHMETIC = ("multiplications", "divisions", "powers")
_STEPS = ("lines", "conditionals", "calls", "builtin_calls", "loop_iterations")


def without_comments(code: str) -> str:
    """Remove comments, docstrings and other bare strings from a program.

    A program that reads ``__doc__`` is not changed.
    """
    if "__doc__" in code:
        return code
    lines = code.split("\n")
    gone: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            at, column = token.start[0] - 1, token.start[1]
            lines[at] = lines[at][:column].rstrip()
            if not lines[at]:
                gone.add(at)
    for node in ast.walk(ast.parse(code)):
        body = getattr(node, "body", None)
        idle = [*filter(is_bare_string, body)] if isinstance(body, list) else []
        for statement in idle:
            start, end = statement.lineno - 1, statement.end_lineno or 0
            indent = lines[start][: statement.col_offset]
            rest = lines[end - 1].encode()[statement.end_col_offset or 0 :]
            if indent.strip() or rest.strip():
                continue  # other code is on the line
            gone.update(range(start, end))
            if body and statement is body[0]:
                if len(idle) == len(body):
                    gone.remove(start)
                    lines[start] = f"{indent}pass"
                elif not lines[end]:
                    gone.add(end)  # the empty line after a docstring
    return "\n".join(line for at, line in enumerate(lines) if at not in gone)


_COMMON = frozenset(
    name
    for each in (str, bytes, int, float, list, tuple, dict, set, re.Pattern, re.Match)
    for name in dir(each)
)
"""Attributes of plain values: a method of such a name keeps it."""
_Places = dict[str, set[tuple[int, int]]]


def with_neutral_names(task: MinedTask) -> MinedTask:
    """Return a task whose program does not tell by its names what its functions and classes do.

    The entry point becomes ``f``, other functions ``f1``, ``f2``, ..., and classes ``C1``, ``C2``,
    ...; so do methods that a generated entry point calls, unless plain values have one of that
    name. A name stays if it is bound otherwise too, as a parameter, field or import, if it is that
    of a class in an answer, or if a use of it cannot be rewritten. Ids and facts are not changed.
    """
    tree = ast.parse(task.code)
    lines = [line.encode() for line in task.code.split("\n")]
    places, fixed = _places(task.code, tree, lines)
    answers = " ".join(f"{case.answer.type} {_said(case.answer)}" for case in task.cases)
    words = {*re.findall(r"\w+(?![\w'\"])", task.code)}  # not the f of an f-string
    functions: list[str] = []
    methods: list[str] = []
    classes: list[str] = []
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                functions.append(name)
            case ast.ClassDef(name=name):
                classes += [] if re.search(rf"\b{name}\b", answers) else [name]
                own = [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
                methods += [f".{each}" for each in own if f"def {name}_{each}(" in task.code]
            case ast.Assign([ast.Name(name)], ast.Lambda()):
                functions.append(name)
            case ast.Assign([ast.Name(name)], ast.Name(other)) if other in functions:
                functions.append(name)
    functions += [name for name in methods if name[1:] not in {*_COMMON, *functions, *classes}]
    numbered: dict[str, Iterator[str]] = {
        "f": (f"f{number}" for number in itertools.count(1)),
        "C": (f"C{number}" for number in itertools.count(1)),
    }
    numbered["entry"] = itertools.chain("f", numbered["f"])
    kinds = [("entry", task.entry_point), *(("f", name) for name in functions)]
    renamed: dict[str, str] = {}
    for kind, name in [*kinds, *(("C", name) for name in classes)]:
        if name not in renamed and name not in fixed and name.removeprefix(".") not in fixed:
            renamed[name] = next(new for new in numbered[kind] if new not in words)
    edits = [(*place, name) for name in renamed for place in places[name]]
    for line, column, name in sorted(edits, reverse=True):
        text = lines[line - 1]
        end = column + len(name.removeprefix(".").encode())
        lines[line - 1] = text[:column] + renamed[name].encode() + text[end:]
    entry_point = renamed.get(task.entry_point, task.entry_point)
    return replace(task, code=b"\n".join(lines).decode(), entry_point=entry_point)


def _places(code: str, tree: ast.Module, lines: list[bytes]) -> tuple[_Places, set[str]]:
    """Return the lines and columns, in bytes, of each name and each ``.attribute``.

    Return also the names that are elsewhere too: as parameters, keywords, imports, fields, or in
    f-strings over several lines. Strings count in annotations, except those of a ``Literal``.
    """
    found: _Places = defaultdict(set)
    members = [
        part for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for part in node.body
    ]
    methods = {each for each in members if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
    elsewhere = bound_names(each for each in members if each not in methods)
    for each in members:  # a class's body reads a method by its bare name
        parts = each.decorator_list if isinstance(each, ast.FunctionDef) else [each]
        names = (node for part in parts for node in ast.walk(part) if isinstance(node, ast.Name))
        elsewhere.update(f".{node.id}" for node in names)
    plain: set[ast.AST] = set()

    def add(name: str, line: int, column: int) -> None:
        raw = name.removeprefix(".").encode()
        if lines[line - 1][column : column + len(raw)] == raw:
            found[name].add((line, column))
        else:
            elsewhere.add(name)

    for node in ast.walk(tree):
        match node:
            case ast.Name():
                add(node.id, node.lineno, node.col_offset)
            case ast.Attribute(end_lineno=int(line), end_col_offset=int(end)):
                add(f".{node.attr}", line, end - len(node.attr.encode()))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                text = lines[node.lineno - 1]
                head = re.compile(rb"(async\s+)?(def|class)\s+").match(text, node.col_offset)
                at = head.end() if head else len(text)
                add("." * (node in methods) + node.name, node.lineno, at)
        hint = getattr(node, "annotation", None) or getattr(node, "returns", None)
        for part in ast.walk(hint) if isinstance(hint, ast.AST) else ():
            match part:
                case ast.Subscript(ast.Name("Literal") | ast.Attribute(attr="Literal"), values):
                    plain.update(ast.walk(values))
                case ast.Constant(str(hinted)) if part not in plain:
                    text = lines[part.lineno - 1][: part.end_col_offset]
                    for word in re.compile(rb"\w+").finditer(text, part.col_offset):
                        add(word[0].decode(), part.lineno, word.start())
                        elsewhere |= {word[0].decode()} if "Literal[" in hinted else set()
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.NAME:
            (row, column), name = token.start, token.string
            place = row, len(lines[row - 1].decode()[:column].encode())
            if place not in found[name] | found[f".{name}"]:
                elsewhere.add(name)
    return found, elsewhere


def _said(answer: CallResult) -> str:
    """Return a message, or a value as source."""
    return answer.message if answer.kind == "error" else repr(answer.value)


def asked(
    task: MinedTask, sandboxes: Sandboxes, calls: Sequence[Invocation] = ()
) -> MinedTask | str:
    """Return a task with the cases that are worth asking, best first, or why it is left out.

    A case executes at least ``LINES``, ``STATEMENTS``, ``BRANCHES`` and ``SHARE``, and at most
    ``MOST_LINES``. Its answer is not empty, not visible in the call, and contains no long number or
    digest; call and answer are short. Cases drawn by type are left out if enough others remain. If
    enough runs are hard, more than half of the cases are. Cases that reach the most branches come
    first, and those that reach less than ``REACH`` of the best are left out beyond ``CASES``. Every
    case is run again, and must give the recorded answer.

    ``calls`` are further ones, written for a set. They come last and are asked if they do enough,
    have one answer in all surroundings, and raise only what the program raises itself.
    """
    instrumented = instrument(task.code)
    if instrumented is None or len(task.code) > MAX_CODE or "difficulty" not in task.facts:
        return LONG
    program = CallableProgram(task.entry_point, code=task.code)
    known = {case.call.key for case in task.cases}
    new = [call for call in calls if call.key not in known]
    further = [*_answered(program, new, sandboxes)]
    given = [*task.cases, *further]
    sources = [*task.facts["sources"], *[WRITTEN] * len(further)]
    counting = CallableProgram(task.entry_point, code=instrumented.code)
    counted = measure(sandboxes.plain, counting, [c.call for c in given], COUNTERS).calls
    is_driven = has_driver(task)
    runs: dict[str, Measured] = {}
    found: list[Executed] = []
    for case, source, measured in zip(given, sources, counted, strict=True):
        if measured is not None and _is_worth(case, measured, instrumented.wanted):
            runs[case.call.key] = measured
            steps, depth = (measured.steps[name] - is_driven for name in ("lines", "call_depth"))
            found.append(
                Executed(
                    case.call,
                    case.answer,
                    reached=measured.reached & instrumented.wanted,
                    steps=steps,
                    depth=depth,
                    is_accident=case.answer.kind == "error" and not measured.is_foreseen,
                    source=source,
                )
            )
    wanted = {call.key for call in calls}
    mined = _selected([case for case in found if case.call.key not in wanted])
    paths = {tuple(map(runs[case.call.key].steps.get, _STEPS)) for case in mined}
    is_alike = len(paths) < 2 or len({case.answer.key for case in mined}) <= FEW_ANSWERS
    is_alike = is_alike and len(mined) >= CASES
    left = [] if is_alike else mined
    left += [case for case in found if case.call.key in wanted and not case.is_accident]
    if not left:
        return ALIKE if is_alike else NONE
    again = run(sandboxes.plain, program, [case.call for case in left], max_slow=1)
    if [each.key for each in again.answers] != [case.answer.key for case in left]:
        return DIFFERENT
    cases, facts = counted_cases(
        [(case.call, case.answer) for case in left],
        [runs[case.call.key] for case in left],
        is_driven=is_driven,
    )
    iterations = [case.runtime["loop_iterations"] for case in cases]
    facts |= {
        "sources": [case.source for case in left],
        "tags": tags_of(task.code, iterations=iterations),
        "variation": variation([case.runtime for case in cases]),
        "static": static_statistics(task.code, task.entry_point),
    }
    return replace(task, cases=cases, facts={**task.facts, **facts})


def _selected(left: list[Executed]) -> list[Executed]:
    """Return the cases of a task to ask, best first, of those that are worth asking."""
    own = [case for case in left if case.source != "types"]
    left = own if len(own) >= CASES else left
    answers = Counter(case.answer.key for case in left)

    def rank(case: Executed) -> tuple[bool, int, bool, int, int, str]:
        # Of runs that are long enough, the one of the shortest call: more rounds are only counting.
        lines, key = min(case.steps, 2 * LINES), case.call.key
        # An answer that others have too, such as -1, is easily guessed.
        is_shared = answers[case.answer.key] > 1
        reached = len(case.reached)
        return case.source == "types", -reached, is_shared, -lines, len(key), key

    left.sort(key=rank)
    hard = [case for case in left if case.is_hard]
    if len(hard) >= CASES:
        light = [case for case in left if not case.is_hard]
        left = sorted([*hard, *light[: len(hard) - 1]], key=rank)
    most = max((len(case.reached) for case in left), default=0)
    left = [
        case
        for number, case in enumerate(left)
        if number < CASES or len(case.reached) >= REACH * most
    ]
    # A review judges each of few cases by itself.
    return balanced(left) if len(left) >= CASES else left


def _answered(
    program: CallableProgram, calls: Iterable[Invocation], sandboxes: Sandboxes
) -> Iterator[TaskCase]:
    """Yield calls with their answers, those that have one in all surroundings."""
    boxes = [sandboxes.plain, *sandboxes.others]
    for call in calls:
        # One at a time: what is slow or touches the outside spoils no other.
        results = (run(box, program, [call], variant=at) for at, box in enumerate(boxes))
        answers = [each.answers[0] for each in itertools.takewhile(_is_clean, results)]
        if len(answers) == len(boxes) and len({each.key for each in answers}) == 1:
            yield TaskCase(call, answers[0])


def _is_clean(result: RunResult) -> bool:
    """Return whether a run of one call gives an answer that may be asked about."""
    if result.failure or result.touched:
        return False
    (answer,) = result.answers
    return is_answer(answer) and not ADDRESS.search(answer.key)


def has_driver(task: MinedTask) -> bool:
    """Return whether the entry point was generated, so that its line and call are not counted."""
    lines = [case.runtime["lines"] for case in task.cases]
    return bool(median_low(lines) > task.facts["difficulty"]["lines"])


def _is_worth(case: TaskCase, measured: Measured, wanted: Collection[int]) -> bool:
    """Return whether a run does enough, and its call and answer can be worked out by a reader."""
    tests = {arm for arm in wanted if arm ^ 1 in wanted}
    statements = set(wanted) - tests
    executed = statements & measured.reached
    branches = len(tests & measured.reached)
    steps, answer = measured.steps, case.answer
    said = _said(answer)
    return (
        LINES <= steps["lines"] <= MOST_LINES
        and len(executed) >= max(STATEMENTS, SHARE * len(statements))
        and max(branches, steps["loop_iterations"]) >= BRANCHES
        and sum(steps[name] for name in _ARITHMETIC) <= MOST_ARITHMETIC
        and max(len(said), len(case.written(""))) <= MOST_TEXT
        and not Executed(case.call, answer).is_trivial
        and (answer.kind == "error" or _is_answerable(case.call, answer.value, said))
    )


def _is_answerable(call: Invocation, value: Value, said: str) -> bool:
    """Return whether an answer is non-empty, not visible in the call, and free of long numbers.

    No integer in the call may exceed ``MOST_INTEGER``. If a call has several decimals, one must be
    in the answer; otherwise the task is arithmetic. Single numbers that give numbers are not asked:
    divisors, primes or powers are known without the program.
    """
    is_number = isinstance(value, bool | int | float)
    given, held = _decimals(call.values), _decimals([value])
    is_leaf = _is_leaf(value)
    leaves = [*filter(_is_leaf, parts_of(value))]
    is_formula = all(isinstance(each, int | float | None) for each in (*call.values, *leaves))
    parts = [part for each in call.values for part in ([each] if is_leaf else parts_of(each))]
    # One value of the call in a list, say, or a number that was a text.
    is_wrapped = len(leaves) == 1 and str(leaves[0]) in map(str, parts)
    integers = (part for each in call.values for part in parts_of(each) if isinstance(part, int))
    return (
        bool(value or is_number)
        and all(abs(each) <= MOST_INTEGER for each in integers)
        and not (is_wrapped or is_formula)
        and not shows(call.values, value)
        and not has_long_number(value)
        and not _DIGITS.search(said)
        and (len(given) <= 1 or not given.isdisjoint(held))
    )


def _is_leaf(value: Value) -> bool:
    return not isinstance(value, dict | list | tuple | set | frozenset)


def _decimals(values: Iterable[Value]) -> set[float]:
    """Return the absolute values of the non-integer floats in values."""
    parts = (part for value in values for part in parts_of(value))
    return {abs(each) for each in parts if isinstance(each, float) and not each.is_integer()}
