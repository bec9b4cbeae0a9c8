"""Task drafts from a module's functions and doctests, and from a pytest file's assertions."""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import doctest
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.programs import definitions, parsing
from evalplus_lite.store import read_text
from evalplus_lite.tasks.assertions import as_floats, tolerances
from evalplus_lite.tasks.harnesses import inferred
from evalplus_lite.types import CALL, Case, Harness, Rule, RuleKind, Task, Value
from evalplus_lite.values import wire
from evalplus_lite.values.codec import to_json
from evalplus_lite.values.source import value_of

# Examples in doctest format: calls of a function with literals, and literal results.

LONGEST = 100_000
"""Characters of the longest text that is searched."""


@dataclass(frozen=True, slots=True)
class DraftCase:
    """A call and its result, or why it cannot be a case, with its line in the text (from 1)."""

    source: str
    line: int
    arguments: tuple[Value, ...] = ()
    output: bytes = b""
    """In wire form."""
    problem: str = ""
    text: str = ""
    """What the example shows, of a call with known arguments."""


def examples(text: str, name: str, *, within: bool = False) -> Iterator[DraftCase]:
    """Yield the examples in a text that call ``name``, including those that cannot be cases.

    With ``within``, also report calls inside a larger expression, which cannot be cases. If the
    text is a program, its docstrings are searched. Nothing is run.
    """
    if len(text) > LONGEST:
        return
    tree = parsing.tree_or_none(text)
    if tree is None:
        yield from _examples(text, name, within=within)
        return
    places = [tree, *(node for node in ast.walk(tree) if isinstance(node, _DOCUMENTED))]
    for node in places:
        if (docstring := ast.get_docstring(node, clean=False)) is not None:
            yield from _examples(docstring, name, after=node.body[0].lineno - 1, within=within)


_QUOTES = re.compile(r'"""|\'\'\'')
_DOCUMENTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _examples(text: str, name: str, *, after: int = 0, within: bool = False) -> Iterator[DraftCase]:
    try:
        found = doctest.DocTestParser().get_examples(text)
    except ValueError:  # doctest rejects the indentation
        return
    for each in found:
        source, line = each.source.strip(), after + each.lineno + 1
        call = getattr(parsing.tree_or_none(source, mode="eval"), "body", None)
        if not isinstance(call, ast.Call) or getattr(call.func, "id", "") != name:
            if within and re.search(rf"\b{name}\s*\(", source):
                yield DraftCase(source, line, problem="the call is not the whole example")
            continue
        if each.exc_msg is not None:
            yield DraftCase(source, line, problem="it raises")
            continue
        try:
            if call.keywords:
                raise ValueError("an argument is given by name")
            arguments = tuple(value_of(argument) for argument in call.args)
            wire.encode(list(arguments))
        except (ValueError, CodecError) as error:
            yield DraftCase(source, line, problem=str(error))
            continue
        # If the text is not a program, the closing quotes of a docstring may follow at once.
        text = _QUOTES.split(each.want)[0].rstrip()
        output, problem = b"", ""
        try:
            output = wire.encode(value_of(parsing.parse(text.strip() or "None", mode="eval").body))
        except (*parsing.UNREADABLE, CodecError):
            problem = "its result is not a literal"
        yield DraftCase(source, line, arguments, output, problem, text)


def sessions(text: str) -> Iterator[list[doctest.Example]]:
    """Yield the examples of each docstring of a program; nothing if the text is not a program.

    Docstrings with escapes are skipped, because doctest sees other text than a reader does.
    """
    tree = parsing.tree_or_none(text) if len(text) <= LONGEST else None
    for node in () if tree is None else ast.walk(tree):
        if not isinstance(node, _DOCUMENTED) or not (docstring := ast.get_docstring(node)):
            continue
        if "\\" not in (ast.get_source_segment(text, node.body[0]) or "\\"):
            with contextlib.suppress(ValueError):
                yield doctest.DocTestParser().get_examples(docstring)


MAX_BYTES = 1 << 20
"""Size limit of a file that is read."""
MOST_TASKS = 500
"""Limit on functions of a module, since each one requires a walk through all of it."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part of a file that became no task or case, its line (from 1), and the reason."""

    name: str
    line: int
    reason: str

    def to_json(self) -> dict[str, Any]:
        """Return the record as it appears in a summary."""
        return {"name": self.name, "line": self.line, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class SourceModule:
    """A Python file: its name without ``.py``, its text and its tree. It is never run."""

    name: str
    text: str
    tree: ast.Module

    @classmethod
    def read(cls, path: Path) -> SourceModule:
        """Read a file; InputError if it is not Python."""
        text = read_text(path, max_bytes=MAX_BYTES)
        try:
            tree: ast.Module = parsing.parse(text)
        except SyntaxError as error:
            raise InputError(f"is not Python: {error.msg}", path=path, line=error.lineno) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise InputError(f"is not Python: {error}", path=path) from None
        return cls(path.stem, text, tree)

    def function(self, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """Return the last top-level function with this name."""
        for node in reversed(self.tree.body):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
                return node
        return None

    def alone(self, name: str) -> str:
        """Return a function and everything it needs as one program."""
        needed = definitions.needed(self.tree.body, [name])
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                needed.insert(0, node)  # no code refers to it by name
        return definitions.text_of(self.text, needed)

    def prompt(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        """Return a function's signature and docstring, preceded by what the signature needs."""
        docstring = node.body[:1] if ast.get_docstring(node) is not None else []
        stub = copy.copy(node)
        stub.body, stub.decorator_list = docstring or [ast.Pass()], []
        missing = definitions.undefined([stub])
        head = definitions.text_of(self.text, definitions.needed(self.tree.body, missing))
        text = ast.unparse(stub)
        text = text if docstring else text.removesuffix("pass").rstrip(" ")
        return f"{head}\n\n{text}\n" if missing and head else f"{text}\n"


def module_tasks(program: SourceModule) -> tuple[list[Task], list[LeftOut]]:
    """Return a task for each public function of a module, and what was left out.

    A function's doctest examples become cases with outputs. Without examples it has no cases yet.
    """
    tasks: list[Task] = []
    lost: list[LeftOut] = []
    for node in program.tree.body:
        if len(tasks) == MOST_TASKS:
            lost.append(LeftOut("", node.lineno, f"no more than {MOST_TASKS} functions are taken"))
            break
        if isinstance(node, ast.ClassDef):
            lost.append(LeftOut(node.name, node.lineno, "a class: write its tasks by hand (init)"))
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        name = node.name
        if name.startswith("_") or program.function(name) is not node:
            continue
        if node.args.kwonlyargs and None in node.args.kw_defaults:
            lost.append(LeftOut(name, node.lineno, "an argument must be given by name"))
            continue
        prompt = program.prompt(node)
        good = []
        for each in examples(ast.unparse(ast.Module([node], [])), name, within=True):
            if each.problem:
                reason = f"the example {each.source}: {each.problem}"
                lost.append(LeftOut(name, node.lineno, reason))
            else:
                good.append(each)
        reference = program.alone(name)
        harness = harness_of(reference, name)
        tasks.append(
            Task(
                id=f"{program.name}/{name}",
                prompt=prompt,
                entry_point=name,
                reference=reference,
                harness=harness,
                base=tuple(Case(each.arguments) for each in good),
                # An example shows just a value, so other harnesses need the reference's answer.
                outputs=tuple(each.output for each in good) if harness == CALL else (),
            )
        )
    return tasks, lost


def harness_of(reference: str, name: str) -> Harness:
    """Return the harness of a function, inferred from its source."""
    tree = definitions.parse(reference)
    return CALL if tree is None else inferred(CALL, tree, name, given=())


def task_row(task: Task) -> dict[str, Any]:
    """Return a task as a row of a user's task file."""
    row: dict[str, Any] = {"id": task.id, "prompt": task.prompt, "entry_point": task.entry_point}
    if task.reference:
        row["reference"] = task.reference
    row["inputs"] = [[to_json(value) for value in case.arguments] for case in task.base]
    if task.outputs:
        row["outputs"] = [to_json(wire.decode(each)) for each in task.outputs]
    if task.rule != Rule():
        row["rule"] = task.rule.row
    return row


def imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a file imports from modules, with the last part of the module name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = (node.module or "").rpartition(".")[2]
            yield from ((alias.asname or alias.name, module) for alias in node.names)


# Plain assertions of a pytest file, turned into inputs and outputs of the functions they call.

MOST_ROWS = 10_000
"""Limit on rows of a parametrization."""
MOST_CASES = 20_000
"""Limit on assertions of a file, each counted once for each row of parameters."""
MOST_NODES = 20_000
"""Limit on nodes of an expression after names are replaced by their values."""
APPROXIMATE = 1e-6
"""The relative tolerance of ``pytest.approx``."""
FORM = "it is not of the form f(...) == literal"
WITHIN: Mapping[str, RuleKind] = {"set": "unordered", "sorted": "multiset"}
"""Functions that may wrap the tested call, and the equivalent comparison rules."""
VALUES = frozenset({"approx", "tuple", "list", "dict", "frozenset", "float", "complex"})
"""Other functions that tests call just to write a value."""
Bound = dict[str, ast.expr]


@dataclass(slots=True)
class Asserted:
    """The assertions about one function: arguments and outputs, in file order."""

    line: int
    inputs: list[tuple[Value, ...]] = field(default_factory=list)
    outputs: list[bytes] = field(default_factory=list)
    rule: Rule | None = None
    """The comparison rule, if it is not plain ``==``."""


class _NoCase(ValueError):
    """An assertion cannot be a case, for the reason in the message."""


def asserted(program: SourceModule) -> tuple[dict[str, Asserted], list[LeftOut]]:
    """Return the assertions in a file's test functions by called function, and what was left out.

    Understood are ``assert f(...) == literal`` (either way round, ``is`` with None, True and False,
    ``pytest.approx`` without options, ``math.isclose``, ``set`` and ``sorted`` of the answer), and
    ``assert f(...)`` and ``assert not f(...)`` as True and False. Arguments may be literals, names
    bound to literals before, or parameters of a ``parametrize`` with literals. Nothing is run.
    All other assertions are left out, with the reason.
    """
    found: dict[str, Asserted] = {}
    lost: list[LeftOut] = []
    known = _constants(program.tree.body, {})
    left = MOST_CASES
    parts = (n.body if isinstance(n, ast.ClassDef) else [n] for n in program.tree.body)
    for test in itertools.chain.from_iterable(parts):
        if not isinstance(test, ast.FunctionDef) or not test.name.startswith("test"):
            continue
        try:
            rows = list(_rows(test))
        except _NoCase as error:
            lost.append(LeftOut(test.name, test.lineno, str(error)))
            continue
        for row in rows:
            if left < 0:
                reason = f"no more than {MOST_CASES} assertions of a file are taken"
                lost.append(LeftOut(test.name, test.lineno, reason))
                return found, list(dict.fromkeys(lost))
            left -= len(test.body)
            bound = {**known, **row}
            for node in test.body:
                bound |= _constants([node], bound)
                if isinstance(node, ast.Assert):
                    problem = take(node, bound, found)
                    if problem:
                        lost.append(LeftOut(test.name, node.lineno, problem))
                elif any(isinstance(inner, ast.Assert) for inner in ast.walk(node)):
                    reason = f"it asserts within {type(node).__name__.lower()}"
                    lost.append(LeftOut(test.name, node.lineno, reason))
                # Another kind of assertion: pytest.raises, self.assertEqual.
                elif any(re.match("raises$|assert", _name(each)) for each in ast.walk(node)):
                    lost.append(LeftOut(test.name, node.lineno, FORM))
    return found, list(dict.fromkeys(lost))


def take(node: ast.Assert, bound: Bound, found: dict[str, Asserted]) -> str:
    """Add an assertion's case to ``found``; return why it cannot be a case, or "".

    The name of a built-in means the built-in, unless ``found`` has a function of that name.
    """
    try:
        _take(node, bound, found)
    except (ValueError, CodecError, RecursionError) as error:
        return str(error)
    return ""


def _take(node: ast.Assert, bound: Bound, found: dict[str, Asserted]) -> None:
    call, wanted, rule = _compared(node.test)
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise _NoCase(FORM)
    if hasattr(builtins, call.func.id) and call.func.id not in found:
        raise _NoCase(f"it asks for the {call.func.id} of the answer")
    if call.keywords:
        raise _NoCase("an argument is given by name")
    arguments = tuple(value_of(_filled(argument, bound)) for argument in call.args)
    wire.encode(list(arguments))
    value = value_of(_filled(wanted, bound))
    output = wire.encode(as_floats(value) if rule and rule.kind == "python" else value)
    of = found.setdefault(call.func.id, Asserted(node.lineno))
    kinds = {(each or Rule()).kind for each in (rule, of.rule if of.inputs else rule)}
    if len(kinds) > 1:
        raise _NoCase("it compares in another way than the one before")
    of.inputs.append(arguments)
    of.outputs.append(output)
    of.rule = rule or of.rule


def _compared(test: ast.expr) -> tuple[ast.expr, ast.expr, Rule | None]:
    """Return the call, the expected expression, and the comparison rule if it is not ``==``."""
    match test:
        case ast.Call(args=[left, right]) if _name(test) == "isclose":
            if (limits := tolerances(test)) is None:
                raise _NoCase("isclose has other options than tolerances")
            rtol, atol = limits
            return *_turned(left, right), Rule(atol=atol, rtol=rtol)
        case ast.UnaryOp(op=ast.Not(), operand=call):
            return call, ast.Constant(False), None
        case ast.Call():
            return test, ast.Constant(True), None
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            left, right = _turned(left, right)
        case _:
            raise _NoCase(FORM)
    is_same = isinstance(op, ast.Is) and isinstance(right, ast.Constant)
    if not (is_same or isinstance(op, ast.Eq)):
        raise _NoCase("it compares in another way than ==")
    if isinstance(right, ast.Call) and _name(right) == "approx":
        if len(right.args) != 1 or right.keywords:
            raise _NoCase("approx has options")
        return left, right.args[0], Rule(atol=1e-12, rtol=APPROXIMATE)
    if isinstance(left, ast.Call) and len(left.args) == 1 and not left.keywords:
        kind = WITHIN.get(_name(left))
        if kind is not None:
            return left.args[0], right, Rule(kind)
    return left, right, None


def _turned(left: ast.expr, right: ast.expr) -> tuple[ast.expr, ast.expr]:
    """Return both sides of a comparison, the call first."""
    return (left, right) if _calls(left) or not _calls(right) else (right, left)


def _calls(node: ast.expr) -> bool:
    """Return whether an expression calls a function of the user's."""
    if not isinstance(node, ast.Call):
        return False
    if _name(node) in WITHIN:
        return any(map(_calls, node.args))
    return isinstance(node.func, ast.Name) and _name(node) not in VALUES


def _name(node: ast.AST) -> str:
    """Return the last part of the called function's name, "" if there is none."""
    return definitions.last_name(node.func) if isinstance(node, ast.Call) else ""


def _filled(node: ast.expr, bound: Bound) -> ast.expr:
    """Return an expression with names replaced by the expressions they are bound to."""
    filler: Any = ast.NodeTransformer()
    filler.visit_Name = lambda name: bound.get(name.id, name)
    filled: ast.expr = filler.visit(copy.deepcopy(node))
    # A chain of names that each use the one before twice doubles the size at every step.
    if sum(1 for _ in itertools.islice(ast.walk(filled), MOST_NODES + 1)) > MOST_NODES:
        raise _NoCase("it is too large")
    return filled


def _constants(statements: list[ast.stmt], known: Bound) -> Bound:
    """Return the names that simple assignments bind, with their expressions, literal or not."""
    found: Bound = {}
    for node in statements:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                with contextlib.suppress(_NoCase):
                    found[name] = _filled(value, {**known, **found})
    return found


def _rows(test: ast.FunctionDef) -> Iterator[Bound]:
    """Yield the bindings of a test's parameters, one for each row of its ``parametrize``."""
    rows: list[Bound] = [{}]
    for decorator in test.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[names, listed, *_]):
                if not isinstance(listed, ast.List | ast.Tuple):
                    raise _NoCase("its parameters are not written as a list")
                keys = _names(names)
                own = [_bound(keys, item) for item in listed.elts]
                if len(own) * len(rows) > MOST_ROWS:
                    raise _NoCase(f"it has more than {MOST_ROWS} rows of parameters")
                rows = [{**row, **each} for row in rows for each in own]
    yield from rows


def _names(node: ast.expr) -> list[str]:
    try:
        found = value_of(node)
    except ValueError:
        raise _NoCase("the names of its parameters are not a literal") from None
    names = found.split(",") if isinstance(found, str) else list(found)
    return [str(name).strip() for name in names]


def _bound(keys: list[str], item: ast.expr) -> Bound:
    if isinstance(item, ast.Call):  # pytest.param(1, 2, id="...")
        values = item.args
    elif len(keys) == 1:
        values = [item]
    elif isinstance(item, ast.List | ast.Tuple):
        values = item.elts
    else:
        raise _NoCase("a row of its parameters is not written as a tuple")
    if len(values) != len(keys):
        raise _NoCase("a row of its parameters has another length")
    return dict(zip(keys, values, strict=True))
