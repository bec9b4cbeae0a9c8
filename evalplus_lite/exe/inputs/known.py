"""Known calls of a function: in tests, documentation, README and code, or written by a model.

Tests and examples run in a sandbox, which records the arguments that functions receive. Further
calls are read from source text, if their arguments are literals.
"""

from __future__ import annotations

import ast
import itertools
import re
import tempfile
import warnings
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.exe.inputs.call_space import OMITTED, bound, call_of
from evalplus_lite.exe.running.proof import make_readable, unpack, write_metadata
from evalplus_lite.exe.running.runs import Invocation, answer_of, canonical, stage
from evalplus_lite.exe.selecting.signatures import ITEM, ConstructedType, Inferred, either, type_of
from evalplus_lite.exe.selecting.static import MinedFunction
from evalplus_lite.exe.sources import PackageSource
from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.generate.domains.constants import examples
from evalplus_lite.models import ModelSource
from evalplus_lite.models.dialogue import Dialogue
from evalplus_lite.programs import parsing
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, SandboxConfig
from evalplus_lite.types import Value
from evalplus_lite.values import codec

RUNNER = tuple(
    """pytest _pytest py pluggy iniconfig packaging pygments hypothesis _hypothesis_globals
    _hypothesis_pytestplugin _hypothesis_ftz_detector sortedcontainers""".split()
)
"""What tests may import in addition to the standard library, the package and given libraries."""
MOST_TESTS, MOST_FILES = 3000, 1000
"""Maximum numbers of tests, and of test files (the first by path)."""
CPU_SECONDS = 60.0
"""CPU seconds for all tests and examples; tests end after a quarter of it."""
LONGEST_TROUBLE, LONGEST_CALL = 120, 20_000
"""Maximum characters of a reported problem, and of a recorded call."""
SHIFT = 86400.0 * 400
"""Offset of the clock in the second run, in seconds, to detect values that depend on the date."""
MARK = "observed-tree"
_TEST = re.compile(r"(^|/)(tests?|test_[^/]*|[^/]*_tests?)\.py$|(^|/)tests?/[^_/][^/]*\.py$")
_DOCUMENT = re.compile(r"(^|/)docs?/.*\.(rst|md|txt)$", re.IGNORECASE)
MOST_DOCUMENTS = 300_000
"""Maximum bytes of documentation to search for examples."""
SOURCES = ("tests", "doctests", "README", "call sites")
"""Sources of recorded calls; ``call sites`` are calls inside the package that the others cause."""
Function: TypeAlias = tuple[str, str, str]
"""Module, class (or "") and name."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """The values of one call by parameter; ``constructor``: those that constructed its object."""

    source: str
    values: Mapping[str, Value]
    constructor: Mapping[str, Value] | None = None


@dataclass(frozen=True, slots=True)
class Observed:
    """The calls in a package's tests and examples; ``problem``: the reason why no test ran."""

    parameters: Mapping[Function, Mapping[str, Inferred]] = field(default_factory=dict)
    """The types of parameters."""
    calls: Mapping[Function, tuple[RecordedCall, ...]] = field(default_factory=dict)
    tests: int = 0
    """Number of tests run."""
    problem: str = ""


def has_tests(package: PackageSource) -> bool:
    """Return whether a package's archive, folder or repository holds tests."""
    return any(map(is_test, package.members))


def is_test(path: str) -> bool:
    """Return whether a file holds tests, by its name."""
    return _TEST.search(path) is not None


def observe(
    package: PackageSource,
    companions: Sequence[PackageSource],
    config: SandboxConfig,
    *,
    readme: str = "",
) -> Observed:
    """Run a package's tests and examples twice, in separate sandboxes; return the calls they make.

    The runs differ in hash seed and date, and only calls made in both count. ``companions`` are
    libraries that tests may import. Failures of tests raise nothing.
    """
    tests = sorted(filter(is_test, package.members))[:MOST_FILES]
    tops = {test.partition("/")[0] for test in tests if "/" in test}  # an archive has one
    with tempfile.TemporaryDirectory(prefix="tests-") as name:
        root = Path(name)
        for member in package.members if tests else ():
            path = root / "tree" / member
            # One name may be a file and a folder, and a member may be damaged.
            with suppress(InputError, OSError):
                if ".." not in path.parts and root / "tree" in path.parents:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(package.read(member))
        if not tests:
            unpack(package, root / "tree")
        write_metadata(package, root / "libraries")
        for companion in companions:
            unpack(companion, root / "libraries")
        (root / MARK).touch()
        (root / "empty.ini").write_text("[pytest]\n")
        make_readable(root)
        settings = {
            "mark": MARK,
            "sources": sorted(_sources(package)) if tests else ["."],
            "tests": tests,
            "top": tops.pop() if len(tops) == 1 else ".",
            "most": MOST_TESTS,
            "modules": sorted(m for m, file in package.files.items() if not file.is_test),
            "readme": "\n\n".join([package.readme or readme, *_documents(package)]),
        }
        text = resources.files("evalplus_lite.exe.running").joinpath("recorder.py")
        program = Program(f"{stage()}\n{text.read_text(encoding='utf-8')}", "entry")
        limits = Limits(cpu=CPU_SECONDS, load=20.0, wait=CPU_SECONDS)
        readable = (*config.packages, *RUNNER)
        runs: list[Value] = []
        for seed, shift in ((0, 0.0), (101, SHIFT)):
            own = replace(config, readable=(str(root),), packages=readable, hash_seed=seed)
            with Sandbox(own) as sandbox:
                inputs = Inputs.of([({**settings, "shift": shift},)])
                answer = answer_of(sandbox.run(program, inputs, limits).outcomes[0])
            if answer.kind != "value":
                problem = f"the tests did not end: {answer.type} {answer.message}"
                return Observed(problem=problem[:200])
            runs.append(answer.value)
    return _read(*runs, has_tests=bool(tests))


def _documents(package: PackageSource) -> Iterator[str]:
    """Yield the documentation files of a package, which may have examples."""
    left = MOST_DOCUMENTS
    for name in sorted(filter(_DOCUMENT.search, package.members)):
        with suppress(InputError, OSError):
            text = package.read(name)[:left].decode("utf-8", "replace")
            left -= len(text)
            yield text


def _sources(package: PackageSource) -> set[str]:
    """Return the folders that the package's modules are imported from."""
    folders = set()
    for file in package.files.values():
        if not file.is_test:
            depth = file.module.count(".") + 1 + file.is_package
            folders.add("/".join(PurePosixPath(file.path).parts[:-depth]) or ".")
    return folders


def _read(first: Value, second: Value, *, has_tests: bool) -> Observed:
    """Return the calls that the recorder reports in both runs, as far as they are valid."""
    match first, second:
        case [int(tests), str(trouble), list(seen)], [int(), str(), list(again)]:
            pass
        case _:
            return Observed(problem="the record of the tests' calls is malformed")
    parameters: dict[Function, dict[str, Inferred]] = {}
    calls: dict[Function, tuple[RecordedCall, ...]] = {}
    others = _recorded(again)
    for place, listed in _recorded(seen).items():
        both = [call for key, call in listed.items() if key in others.get(place, {})]
        parameters[place] = _types([call for call, _ in both])
        calls[place] = tuple(c for c, is_whole in both if is_whole and c.source in SOURCES)
    why = f": {trouble[:LONGEST_TROUBLE]}" if trouble else ""
    problem = f"no test could be run{why}" if has_tests and not tests else ""
    return Observed(parameters, calls, tests, problem)


def _recorded(functions: list[Any]) -> dict[Function, dict[str, tuple[RecordedCall, bool]]]:
    """Return each function's valid calls by a key, and whether each has all its values."""
    recorded: dict[Function, dict[str, tuple[RecordedCall, bool]]] = {}
    for function in functions:
        match function:
            case [str(module), str(name), list(rows)]:
                owner, _, own = name.rpartition(".")
                calls = recorded.setdefault((module, owner, own), {})
            case _:
                continue
        for row in rows:
            match row:
                case [str(source), str(text), str(parts), bool(is_whole)]:
                    values, constructor = _record(text), _record(parts)
                    key = f"{is_whole} {canonical(values)} {canonical(constructor)}"
                    if values is not None:
                        call = RecordedCall(source, values, constructor)
                        calls.setdefault(key, (call, is_whole))
    return recorded


def _record(text: str) -> dict[str, Value] | None:
    if len(text) > LONGEST_CALL:
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
    is_named = isinstance(value, dict) and all(isinstance(key, str) for key in value)
    return value if is_named else None


def _types(calls: Sequence[RecordedCall]) -> dict[str, Inferred]:
    """Return each parameter's type, inferred from its plain values."""
    types: dict[str, Inferred] = {}
    for name in dict.fromkeys(name for call in calls for name in call.values):
        values = (call.values[name] for call in calls if name in call.values)
        kinds = {kind for kind in map(type_of, values) if kind is not None}
        # The type of an empty list counts only if all lists are empty.
        empty = {kind for kind in kinds if kind.arguments == (ITEM,)}
        full = {kind.kind for kind in kinds - empty}
        members = {kind for kind in kinds if kind not in empty or kind.kind not in full}
        if members - {Type("none")}:
            types[name] = Inferred(either(sorted(members, key=str)), "observed")
    return types


MOST_CALLS, MOST_OF_NAME = 60, 40
"""Maximum known calls of a function to run, and of calls to read from text for a name."""
MOST_TEXTS, MIN_SENTENCES, LONGEST_TEXT = 1500, 20, 120
_PATTERN = re.compile(r"\\|\(\?|%[(sdr]|\{\w*\}")
"""Marks of a string that is a regular expression or a template."""
MOST_ROWS = 12
"""Maximum rows of a table of parameters to try, spread over its length."""
_NO_LITERAL = (
    LookupError, ValueError, TypeError, SyntaxError, RecursionError, MemoryError, OverflowError
)  # fmt: skip
Names = Mapping[str, Value]


KnownCall: TypeAlias = tuple[Invocation, str]
"""A call and its source: one of ``SOURCES``, or ``model``."""
TextCall: TypeAlias = tuple[str, tuple[Value, ...], dict[str, Value]]
"""A call's source or function, and its positional and keyword arguments."""


@dataclass(slots=True)
class PackageValues:
    """The values in a package that its functions may be called with."""

    observed: Observed = field(default_factory=Observed)
    calls: dict[str, list[TextCall]] = field(default_factory=lambda: defaultdict(list))
    """Calls read from text, by the function's name."""
    texts: tuple[str, ...] = ()
    """Strings of tests, then of code, then sentences of the documentation."""

    @classmethod
    def of(cls, package: PackageSource, observed: Observed) -> PackageValues:
        """Read the tests and modules of a package."""
        values = cls(observed)
        texts: tuple[dict[str, None], ...] = ({}, {}, {})
        tests = [name for name in package.members if is_test(name)]
        modules = [file.path for file in package.files.values() if not file.is_test]
        for path in dict.fromkeys([*sorted(tests), *sorted(modules)]):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tree = ast.parse(package.read(path))
            except (*_NO_LITERAL, OSError):
                continue
            source = SOURCES[0] if is_test(path) else SOURCES[-1]
            for name, args, kwargs in _calls(tree):
                if len(values.calls[name]) < MOST_OF_NAME:
                    values.calls[name].append((source, args, kwargs))
            _note_texts(tree, texts[source != SOURCES[0]], texts[2])
        texts[2].update(dict.fromkeys(_sentences(package.readme)))
        words = [text for each in texts[:2] for text in list(each)[:MOST_TEXTS]]
        # Only a few sentences, because functions are rarely called with documentation.
        values.texts = (*words, *list(texts[2])[: max(MIN_SENTENCES, len(words) // 8)])
        return values

    def of_function(self, function: MinedFunction) -> list[KnownCall]:
        """Return a function's known calls without duplicates, in the order of ``SOURCES``."""
        subject = function.subject.rpartition(".")[2]
        rows = [*self.observed.calls.get((function.module, function.owner, subject), ())]
        parameters = function.signature.parameters
        if not function.owner:
            shown = examples(function.implementation, subject)
            listed: list[TextCall] = [(SOURCES[1], args, {}) for args in shown]
            for source, args, kwargs in (*listed, *self.calls.get(subject, ())):
                values, is_whole = bound(parameters, args, kwargs)
                rows += [RecordedCall(source, values)] if is_whole else []
        calls: dict[str, KnownCall] = {}
        for row in sorted(rows, key=lambda each: SOURCES.index(each.source)):
            arguments = _arguments(function, row)
            if arguments is not None and len(calls) < MOST_CALLS:
                call = call_of(function.signature, arguments)
                calls.setdefault(call.key, (call, row.source))
        return list(calls.values())


def _arguments(function: MinedFunction, row: RecordedCall) -> tuple[Value, ...] | None:
    """Return a value for each parameter of the entry point; None if one is unknown."""
    arguments: list[Value] = []
    built = function.built or [None] * len(function.signature.parameters)
    for parameter, constructed in zip(function.signature.parameters, built, strict=True):
        name = parameter.name.removesuffix("_given")
        value = row.values.get(parameter.name, OMITTED)
        if value is OMITTED and name in row.values:
            value = row.values[name]
        elif row.constructor is not None:
            value = row.constructor.get(parameter.name, value)
        if parameter.kind == "varargs":
            value = [*value] if isinstance(value, tuple | list) else []
        elif parameter.kind == "varkw":
            value = value if isinstance(value, dict) else {}
        elif parameter.default is not None and value is not OMITTED:
            with suppress(*_NO_LITERAL):
                if repr(ast.literal_eval(parameter.default)) == repr(value):
                    value = OMITTED
        if value is OMITTED and parameter.is_required:
            return None
        try:
            value = _plain(value, constructed)
            if value is not OMITTED:
                codec.dumps(value)
        except (*_NO_LITERAL, CodecError):
            return None
        arguments.append(value)
    return tuple(arguments)


def _plain(value: Value, kind: Type | None) -> Value:
    """Return the plain value that an entry point constructs a recorded date or object from.

    ``kind``: the type that the entry point constructs, None if unknown. Raise ValueError if it
    does not construct such a value.
    """
    parts = kind.arguments if kind else ()
    if (
        isinstance(value, dict)
        and isinstance(kind, ConstructedType)
        and value.keys() == {*kind.fields}
    ):
        value = {"$made": (kind.template, value)}  # a typed dict
    if isinstance(value, dict) and len(value) == 1 and str(next(iter(value)))[:1] == "$":
        ((name, content),) = value.items()
        for each in parts if kind and kind.kind == "union" else (kind,):
            if isinstance(each, ConstructedType) and bool(each.fields) == (name == "$made"):
                if not each.fields and name != "$Fraction":
                    return content
                if each.fields and content[0] == each.template:
                    pairs = zip(each.fields, each.arguments, strict=True)
                    return tuple(_plain(content[1][field], inner) for field, inner in pairs)
        raise ValueError(f"{name} is no plain value")
    if kind and kind.kind == "union":
        parts = tuple(inner for each in parts for inner in each.arguments)
    if isinstance(value, list | tuple):
        is_fixed = isinstance(value, tuple) and len(parts) == len(value)
        inner = parts if is_fixed else [parts[0] if parts else None] * len(value)
        return type(value)(map(_plain, value, inner))
    if isinstance(value, dict):
        item = parts[-1] if parts else None
        return {key: _plain(each, item) for key, each in value.items()}
    return value


COUNT, LONGEST_LINE = 20, 2000
"""Number of calls to request from a model; maximum characters of a line to read."""
MAX_TOKENS, TEMPERATURE = 4096, 0.8
PROMPT = """Here is a Python program:

```python
{code}
```

Write {count} calls of `{name}` as a user of this library would call it: realistic values of the \
kind that the program is for, small and large ones, so that together they take every branch. Let \
three of them raise an error that the program itself raises, if there is one. Write every argument \
as a Python literal, and one call on each line.
"""


def calls_of_model(
    function: MinedFunction, source: ModelSource
) -> tuple[list[KnownCall], dict[str, Any]]:
    """Return the calls that a model writes, and the facts about its answer for a task's row.

    Calls are read line by line, never run; other lines are ignored, and so are lines and calls
    beyond the limits. Raise LLMError if further requests would fail too.
    """
    talk = Dialogue(source=source, temperature=TEMPERATURE, max_tokens=MAX_TOKENS)
    reply = talk.ask(PROMPT.format(code=function.code, count=COUNT, name=function.name))
    lines = (line.strip() for line in (reply.text if reply else "").splitlines())
    fit = (each for each in lines if f"{function.name}(" in each and len(each) <= LONGEST_LINE)
    calls: dict[str, KnownCall] = {}
    for line in itertools.islice(fit, MOST_CALLS):
        tree = parsing.tree_or_none(line)
        for name, args, kwargs in itertools.islice(_calls(tree) if tree else (), MOST_CALLS):
            values, is_whole = bound(function.signature.parameters, args, kwargs)
            arguments = _arguments(function, RecordedCall("model", values))
            if name == function.name and is_whole and arguments is not None:
                call = call_of(function.signature, arguments)
                if len(calls) < MOST_CALLS:
                    calls[call.key] = call, "model"
    facts: dict[str, Any] = {"model": source.model, "written": len(calls)}
    if talk.problem:
        facts["failure"] = talk.problem[:200]
    facts |= {"prompt_tokens": talk.prompt_tokens, "completion_tokens": talk.completion_tokens}
    return list(calls.values()), facts


def _calls(tree: ast.Module) -> Iterator[TextCall]:
    """Yield the calls of a module whose arguments are literals, or names for literals."""
    constants = dict(_assigned(tree.body))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    scopes: list[ast.Module | ast.FunctionDef] = [tree, *functions]
    for scope in scopes:
        known = constants | dict(_assigned(scope.body))
        rows = [known | row for row in _table(scope, constants)]
        for node in _own(scope):
            if not isinstance(node, ast.Call) or not (node.args or node.keywords):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            for row in rows:
                try:
                    args = tuple(_literal(each, row) for each in node.args)
                    kwargs = {str(k.arg): _literal(k.value, row) for k in node.keywords}
                except _NO_LITERAL:
                    break
                yield name, args, kwargs


def _own(scope: ast.Module | ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, those of functions in it left out."""
    pending = deque[ast.AST](scope.body)
    while pending:
        node = pending.popleft()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            pending += ast.iter_child_nodes(node)


def _assigned(body: Iterable[ast.stmt]) -> Iterator[tuple[str, Value]]:
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                yield node.targets[0].id, ast.literal_eval(node.value)
            except _NO_LITERAL:
                continue


def _table(scope: ast.Module | ast.FunctionDef, constants: Names) -> list[dict[str, Value]]:
    """Return the rows of values that ``parametrize``, or a loop over literals, gives to names."""
    tables: list[tuple[list[str], ast.expr]] = []
    for node in getattr(scope, "decorator_list", ()):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".parametrize"):
            words = re.findall(r"\w+", ast.unparse(node.args[0]) if node.args else "")
            tables += [(words, each) for each in node.args[1:2]]
    for node in _own(scope):
        if isinstance(node, ast.For):
            tables.append((re.findall(r"\w+", ast.unparse(node.target)), node.iter))
    rows: list[dict[str, Value]] = [{}]
    for names, values in tables:
        try:
            listed = _literal(values, constants)
            listed = [*listed.items()] if isinstance(listed, dict) else [*listed]
            new = [
                dict(zip(names, each if len(names) > 1 else (each,), strict=True))
                for each in listed[:: -(-len(listed) // MOST_ROWS) or 1]
            ]
        except _NO_LITERAL:
            continue
        rows = [{**row, **each} for row in rows for each in new][:MOST_ROWS] or rows
    return rows


def _literal(node: ast.expr, names: Names) -> Value:
    """Return the value of a literal that may mention names; ValueError where it is none."""
    match node:
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Call(func=ast.Attribute(value=table, attr="items"), args=[]):
            return _literal(table, names)
        case ast.Call(func=ast.Attribute(attr="param"), args=[*args]):
            return tuple(_literal(each, names) for each in args)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            kind = list if isinstance(node, ast.List) else tuple
            return kind(_literal(each, names) for each in parts)
    return ast.literal_eval(node)


def _note_texts(tree: ast.Module, strings: dict[str, None], sentences: dict[str, None]) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                sentences.update(dict.fromkeys(_sentences(node.value.value)))
                node.value.value = ""
        elif isinstance(node, ast.Constant) and _is_text(node.value):
            strings[node.value] = None  # type: ignore[index]  # a string


def _is_text(value: object) -> bool:
    is_fit = isinstance(value, str) and 1 < len(value) <= LONGEST_TEXT and value.isprintable()
    return is_fit and not _PATTERN.search(str(value))


def _sentences(text: str) -> Iterator[str]:
    for part in re.split(r"\n\s*\n|(?<=[.!?])\s", text[:100_000]):
        words = " ".join(part.split())
        if 8 < len(words) <= LONGEST_TEXT and words.isprintable():
            yield words
