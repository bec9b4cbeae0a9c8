"""The calls of a function that are known: in tests, documentation, README and the package's code.

Those that were seen while tests and examples ran come first; then those that the text alone shows,
whose arguments are literals, or names for them.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evalplus_lite.errors import CodecError
from evalplus_lite.exe.inputs.call_space import OMITTED, call_of
from evalplus_lite.exe.running.observing import SOURCES, Observed, RecordedCall, is_test
from evalplus_lite.exe.running.runs import Invocation
from evalplus_lite.exe.selecting.signatures import Parameter
from evalplus_lite.exe.selecting.static import MinedFunction
from evalplus_lite.exe.sources import PackageSource
from evalplus_lite.generate.domains.constants import examples
from evalplus_lite.types import Value
from evalplus_lite.values import codec

MOST_CALLS, MOST_OF_NAME = 60, 40
"""Known calls of a function that are run, and those of a name that a package's text shows."""
MOST_TEXTS, MIN_SENTENCES, LONGEST_TEXT = 1500, 20, 120
_PATTERN = re.compile(r"\\|\(\?|%[(sdr]|\{\w*\}")
"""What shows that a string of code is an expression or a template."""
MOST_ROWS = 12
"""Rows of a table of parameters that are tried."""
_NO_LITERAL = (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, OverflowError)
Names = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class KnownCall:
    """A call, and where it was found: one of ``SOURCES``."""

    call: Invocation
    source: str


@dataclass(slots=True)
class PackageValues:
    """What a package shows of the values that its functions are given."""

    observed: Observed = field(default_factory=Observed)
    calls: dict[str, list[tuple[str, tuple[Value, ...], dict[str, Value]]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Function's name -> source, positional and named arguments of calls that the text shows."""
    texts: tuple[str, ...] = ()
    """Strings of tests, then of code, then sentences of the documentation."""

    @classmethod
    def of(cls, package: PackageSource, observed: Observed) -> PackageValues:
        """Read the tests and modules of a package."""
        found = cls(observed)
        texts: tuple[dict[str, None], ...] = ({}, {}, {})
        tests = [name for name in package.members if is_test(name)]
        modules = [file.path for file in package.files.values() if not file.is_test]
        for path in dict.fromkeys([*sorted(tests), *sorted(modules)]):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tree = ast.parse(package.data_file(path))
            except (*_NO_LITERAL, OSError):
                continue
            source = SOURCES[0] if is_test(path) else SOURCES[-1]
            for name, args, kwargs in _calls(tree):
                if len(found.calls[name]) < MOST_OF_NAME:
                    found.calls[name].append((source, args, kwargs))
            _note_texts(tree, texts[source != SOURCES[0]], texts[2])
        texts[2].update(dict.fromkeys(_sentences(package.readme)))
        words = [text for each in texts[:2] for text in list(each)[:MOST_TEXTS]]
        # Documentation is rarely what a function is given: little of it.
        found.texts = (*words, *list(texts[2])[: max(MIN_SENTENCES, len(words) // 8)])
        return found

    def of_function(self, function: MinedFunction) -> list[KnownCall]:
        """Return a function's known calls, each once, those of tests first."""
        subject = function.subject.rpartition(".")[2]
        place = (function.module, function.owner, subject)
        rows = [*self.observed.calls.get(place, ())]
        parameters = function.signature.parameters
        if not function.owner:
            shown: list[tuple[str, tuple[Value, ...], dict[str, Value]]]
            shown = [(SOURCES[1], args, {}) for args in examples(function.implementation, subject)]
            for source, args, kwargs in (*shown, *self.calls.get(subject, ())):
                values = _bound(parameters, args, kwargs)
                rows += [RecordedCall(source, values)] if values is not None else []
        found: dict[str, KnownCall] = {}
        for row in sorted(rows, key=lambda each: SOURCES.index(each.source)):
            arguments = _arguments(function, row)
            if arguments is not None and len(found) < MOST_CALLS:
                call = call_of(function.signature, arguments)
                found.setdefault(call.key, KnownCall(call, row.source))
        return list(found.values())


def _arguments(function: MinedFunction, row: RecordedCall) -> tuple[Value, ...] | None:
    """Return a value for each parameter of the entry point; None where one cannot be given."""
    found: list[Value] = []
    for parameter in function.signature.parameters:
        value = _value(parameter, row)
        if parameter.kind == "varargs":
            value = [*value] if isinstance(value, tuple | list) else []
        elif parameter.kind == "varkw":
            value = value if isinstance(value, dict) else {}
        elif parameter.default is not None and _is_default(parameter.default, value):
            value = OMITTED
        if value is OMITTED and parameter.is_required:
            return None
        try:
            value = _plain(value, is_made=bool(function.driver))
            if value is not OMITTED:
                codec.dumps(value)
        except (*_NO_LITERAL, CodecError):
            return None
        found.append(value)
    return tuple(found)


def _value(parameter: Parameter, row: RecordedCall) -> Value:
    name = parameter.name.removesuffix("_given")
    if name != parameter.name and name in row.values:
        return row.values[name]
    if row.made is not None and parameter.name in row.made:
        return row.made[parameter.name]
    return row.values.get(parameter.name, OMITTED)


def _plain(value: Value, *, is_made: bool) -> Value:
    """Return what an entry point makes a date, say, of; ValueError where nothing makes one."""
    if isinstance(value, dict) and len(value) == 1 and next(iter(value), "")[:1] == "$":
        ((kind, text),) = value.items()
        if not is_made or kind == "$Fraction":
            raise ValueError(f"{kind} is no plain value")
        return text
    if isinstance(value, list | tuple):
        return type(value)(_plain(each, is_made=is_made) for each in value)
    if isinstance(value, dict):
        return {key: _plain(each, is_made=is_made) for key, each in value.items()}
    return value


def _is_default(default: str, value: Value) -> bool:
    try:
        return value is not OMITTED and repr(ast.literal_eval(default)) == repr(value)
    except _NO_LITERAL:
        return False


def _bound(
    parameters: Sequence[Parameter], args: Sequence[Value], kwargs: Names
) -> dict[str, Value] | None:
    """Return the values of a call by parameter; None where the function does not take it."""
    left, named = [*args], dict(kwargs)
    found: dict[str, Value] = {}
    for parameter in parameters:
        if parameter.kind == "varargs":
            found[parameter.name], left = left, []
        elif parameter.kind == "varkw":
            found[parameter.name], named = named, {}
        elif parameter.kind == "positional" and left:
            found[parameter.name] = left.pop(0)
        elif parameter.name in named:
            found[parameter.name] = named.pop(parameter.name)
    return None if left or named else found


def _calls(tree: ast.Module) -> Iterator[tuple[str, tuple[Value, ...], dict[str, Value]]]:
    """Yield the calls of a module whose arguments are literals, or names for literals."""
    constants = dict(_assigned(tree.body))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    scopes: list[ast.Module | ast.FunctionDef] = [tree, *functions]
    for scope in scopes:
        rows = [
            {**constants, **dict(_assigned(scope.body)), **row} for row in _table(scope, constants)
        ]
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
    pending: list[ast.AST] = [*scope.body]
    while pending:
        node = pending.pop(0)
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
                for each in listed[:MOST_ROWS]
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
    return (
        isinstance(value, str)
        and 1 < len(value) <= LONGEST_TEXT
        and value.isprintable()
        and not _PATTERN.search(value)
    )


def _sentences(text: str) -> Iterator[str]:
    for part in re.split(r"\n\s*\n|(?<=[.!?])\s", text[:100_000]):
        words = " ".join(part.split())
        if 8 < len(words) <= LONGEST_TEXT and words.isprintable():
            yield words
