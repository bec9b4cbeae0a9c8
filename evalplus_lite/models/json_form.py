"""The JSON form of inputs written by a model: a schema from observed types, and conversion.

JSON lacks tuples, sets, bytes, complex numbers and keys other than strings, and servers only
enforce schemas in which every object's keys are known. So an input is an object with the
parameters' names. Tuples and sets are arrays; a dict is an array of ``{"key": ..., "value": ...}``;
bytes are ``{"hex": ...}`` and complex numbers ``{"real": ..., "imaginary": ...}``. Extended types
are strings of tagged JSON. Where several of list, tuple, set, frozenset and dict were observed, all
but lists are wrapped in an object that names their type. Answers are checked against the same
observed types.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.generate.domains.profile import SEQUENCES, SIZED, Profile, elements_of
from evalplus_lite.programs import parsing
from evalplus_lite.types import Task, Value
from evalplus_lite.values import codec
from evalplus_lite.values.kinds.registry import BY_TYPE

# Names of a task's programs and their parameters.


def parameter_names(task: Task, *, arity: int) -> tuple[str, ...]:
    """Return the names of the first ``arity`` parameters of the reference's entry point."""
    names = ["stdin"] if task.harness.kind == "script" else []
    for node in parsing.parse(task.reference).body:
        if isinstance(node, ast.FunctionDef) and node.name == task.entry_point:
            names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    return tuple(names[i] if i < len(names) else f"argument{i + 1}" for i in range(arity))


def called(task: Task) -> str:
    """Return the name of the function with the inputs, for a prompt."""
    return f"`{task.entry_point}`" if task.entry_point else "the program"


# Mismatches between a model's input and the observed types, and values written as strings.


class FormError(ValueError):
    """A model's input does not match the observed types; the message has the place and reason."""


def read_text(tree: str, kinds: Sequence[type], where: str) -> Value:
    """Read a value of an extended type: tagged JSON, or the body without the tag."""
    extended = [BY_TYPE[kind] for kind in kinds if kind in BY_TYPE]
    for read in (codec.loads, *(kind.from_body for kind in extended)):
        with suppress(CodecError, TypeError, ValueError, ArithmeticError):
            if type(value := read(tree)) in kinds and type(value) in BY_TYPE:
                return value
    raise misfit(str, kinds, where)


def misfit(kind: type, kinds: Sequence[type], where: str) -> FormError:
    """Return the error for a type at a place where others were observed."""
    return FormError(f"{where} is {name(kind)}, not {' or '.join(map(name, kinds))}")


def name(kind: type) -> str:
    """Return the name of a type for messages."""
    return "None" if kind is type(None) else kind.__name__


MOST_ITEMS = 100
"""Maximum length of arrays: a model that repeats itself would fill its whole answer with one."""
MAX_DEPTH = 50

_ARRAYS: tuple[type, ...] = (list, tuple, set, frozenset, dict)
_TAGS = {kind.__name__: kind for kind in _ARRAYS if kind is not list}
_SCALARS: dict[type, dict[str, Any]] = {
    type(None): {"type": "null"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
}


@dataclass(frozen=True, slots=True)
class InputForm:
    """The form of an input: the parameters' names and the types observed for each."""

    names: tuple[str, ...]
    seen: tuple[Profile, ...]

    @classmethod
    def of(cls, task: Task) -> InputForm:
        """Return the form of a task's inputs; raise InputError if it has no base case.

        If the number of arguments varies, the form uses the most frequent number.
        """
        if not task.base:
            raise InputError(
                f"{task.id} has no base inputs, from which a model learns their form",
                remedy="give the task at least one input",
            )
        sizes = Counter(len(case.arguments) for case in task.base)
        arity = max(sizes, key=lambda size: (sizes[size], size))
        rows = [case.arguments for case in task.base if len(case.arguments) == arity]
        return cls(
            names=parameter_names(task, arity=arity),
            seen=tuple(Profile.of(column) for column in zip(*rows, strict=True)),
        )

    def schema(self, *, count: int) -> dict[str, Any]:
        """Return the JSON schema of an answer with ``count`` inputs.

        It only uses features that servers can enforce: no optional keys, no free keys, no tuples.
        """
        one = object_schema({n: _schema(s) for n, s in zip(self.names, self.seen, strict=True)})
        many = {"type": "array", "items": one, "minItems": count, "maxItems": count}
        return object_schema({"inputs": many})

    def write(self, arguments: Sequence[Value]) -> dict[str, Any] | None:
        """Convert an input to a JSON object of the schema; None if JSON cannot represent it."""
        try:
            return {
                name: _write(value, seen)
                for name, value, seen in zip(self.names, arguments, self.seen, strict=True)
            }
        except (FormError, ValueError):
            return None

    def read(self, tree: Any) -> tuple[Value, ...]:
        """Return the arguments in a JSON object, a list of arguments, or a literal.

        Every leaf must have a type observed at its place (a whole float can be an int, an int a
        float, a list a tuple or set). Raises FormError.
        """
        if isinstance(tree, Mapping):
            if set(tree) != set(self.names):
                wants, got = ", ".join(self.names), ", ".join(map(str, tree))
                raise FormError(f"an input needs the keys {wants}; this one has {got or 'none'}")
            values = [tree[name] for name in self.names]
        elif isinstance(tree, (list, tuple)):
            values = list(tree)
            if len(values) != len(self.names):
                raise FormError(f"an input needs {len(self.names)} arguments, not {len(values)}")
        else:
            raise FormError(f"an input is a list of arguments, not {name(type(tree))}")
        return tuple(
            _read(value, seen, name, 0)
            for name, value, seen in zip(self.names, values, self.seen, strict=True)
        )


def object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with exactly these keys."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _schema(seen: Profile) -> dict[str, Any]:
    if not seen:  # only empty containers were observed
        return _any([_SCALARS[kind] for kind in (float, str, bool)])  # a number may be whole
    kinds = seen.kinds
    forms: list[dict[str, Any]] = []
    for kind in kinds:
        if kind in _ARRAYS:
            array = _array_schema(kind, seen)
            forms.append(object_schema({kind.__name__: array}) if _is_tagged(kind, seen) else array)
        elif kind is bytes:
            forms.append(object_schema({"hex": {"type": "string"}}))
        elif kind in BY_TYPE:
            forms.append(_SCALARS[str])
        elif kind is complex:
            forms.append(object_schema({"real": _SCALARS[float], "imaginary": _SCALARS[float]}))
        elif not (kind is int and float in kinds):  # every integer is a number
            forms.append(_SCALARS[kind])
    return _any(forms)


def _array_schema(kind: type, seen: Profile) -> dict[str, Any]:
    if kind is dict:
        items = object_schema({"key": _schema(seen.keys), "value": _schema(seen.values)})
    elif seen.positions is not None:
        items = _any([_schema(position) for position in seen.positions])
    else:
        items = _schema(seen.items)
    largest = seen.sizes.largest if seen.sizes else 0
    bounds = {"maxItems": min(max(2 * largest, 10), MOST_ITEMS)}
    if (size := _fixed_size(kind, seen)) is not None:
        bounds = {"minItems": size, "maxItems": size}
    return {"type": "array", "items": items, **bounds}


def _any(forms: Sequence[dict[str, Any]]) -> dict[str, Any]:
    distinct = [form for i, form in enumerate(forms) if form not in forms[:i]]
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _is_tagged(kind: type, seen: Profile) -> bool:
    return kind is not list and sum(other in _ARRAYS for other in seen.kinds) > 1


def _fixed_size(kind: type, seen: Profile) -> int | None:
    """Return the size that every container of this kind must have; None if it is free."""
    sized = [other for other in seen.kinds if other in SIZED]
    sizes = seen.sizes
    if sizes is None or sized != [kind] or kind not in SEQUENCES:
        return None
    is_one = sizes.is_fixed or (kind is tuple and sizes.smallest == sizes.largest > 0)
    return sizes.largest if is_one else None


def _write(value: Value, seen: Profile) -> Any:
    kind = type(value)
    if kind is float and not math.isfinite(value):
        raise FormError("JSON has no word for it")
    if kind is bytes:
        return {"hex": value.hex()}
    if kind is complex:
        return {"real": value.real, "imaginary": value.imag}
    if kind in BY_TYPE:
        return codec.dumps(value)
    if kind not in _ARRAYS or not seen:
        return value
    if kind is dict:
        tree = [
            {"key": _write(key, seen.keys), "value": _write(item, seen.values)}
            for key, item in value.items()
        ]
    elif seen.positions is not None:
        tree = [_write(v, s) for v, s in zip(value, seen.positions, strict=True)]
    else:
        tree = [_write(item, seen.items) for item in elements_of(value)]
    return {kind.__name__: tree} if _is_tagged(kind, seen) else tree


def _read(tree: Any, seen: Profile, where: str, depth: int) -> Value:
    if depth > MAX_DEPTH:
        raise FormError(f"{where} nests more than {MAX_DEPTH} deep")
    kinds = seen.kinds if seen else (int, float, str, bool)
    kind = type(tree)
    if kind is int and int not in kinds and float in kinds:
        try:
            return float(tree)
        except OverflowError:
            raise FormError(f"{where} is too large for a float") from None
    if kind is float:
        special = seen.has_special
        if not math.isfinite(tree) and not special:
            raise FormError(f"{where} is {tree}, which no known input holds")
        if float not in kinds and int in kinds and tree.is_integer():
            return int(tree)
    if kind is dict and seen:
        return _read_object(tree, seen, where, depth)
    if kind in _ARRAYS and seen:
        return _read_array(tree, seen, where, depth)
    if kind is str and str not in kinds:
        return read_text(tree, kinds, where)
    if kind not in kinds:
        raise misfit(kind, kinds, where)
    return tree


def _read_object(tree: dict[Any, Any], seen: Profile, where: str, depth: int) -> Value:
    """Read a tagged container, bytes, a complex number, or a dict written as a literal."""
    kinds = seen.kinds
    if bytes in kinds and set(tree) == {"hex"} and isinstance(tree["hex"], str):
        try:
            return bytes.fromhex(tree["hex"])
        except ValueError:
            raise FormError(f"{where} is no text of hexadecimal digits") from None
    if complex in kinds and set(tree) == {"real", "imaginary"}:
        parts = (tree["real"], tree["imaginary"])
        if all(type(part) in (int, float) for part in parts):
            return complex(*parts)
    if len(tree) == 1:
        tag, inner = next(iter(tree.items()))
        named = _TAGS.get(tag) if isinstance(tag, str) else None
        if named in kinds and isinstance(inner, list) and _is_tagged(named, seen):
            return _build(named, inner, seen, where, depth)
    if dict not in kinds:
        raise misfit(dict, kinds, where)
    entries = [{"key": key, "value": value} for key, value in tree.items()]
    return _build(dict, entries, seen, where, depth)


def _read_array(tree: Any, seen: Profile, where: str, depth: int) -> Value:
    """Read a container as its own type if that was observed, else as the only observed one."""
    kinds = [kind for kind in seen.kinds if kind in _ARRAYS]
    if type(tree) in kinds:
        return _build(type(tree), tree, seen, where, depth)
    if len(kinds) != 1:
        raise misfit(type(tree), seen.kinds, where)
    return _build(kinds[0], tree, seen, where, depth)


def _build(kind: type, tree: Any, seen: Profile, where: str, depth: int) -> Value:
    items = elements_of(tree)
    parts = seen.positions if kind in (list, tuple) else None
    size = len(parts) if parts else _fixed_size(kind, seen)
    if size is not None and len(items) != size:
        raise FormError(f"{where} must have {size} elements, not {len(items)}")
    if kind is dict:
        if not all(isinstance(item, dict) and set(item) == {"key", "value"} for item in items):
            raise FormError(f"{where} must be a list of key and value")
        pairs = [
            (
                _read(item["key"], seen.keys, f"{where}.key", depth + 1),
                _read(item["value"], seen.values, f"{where}[{item['key']!r}]", depth + 1),
            )
            for item in items
        ]
        return _hashed(dict, pairs, where)
    values = [
        _read(item, parts[i] if parts else seen.items, f"{where}[{i}]", depth + 1)
        for i, item in enumerate(items)
    ]
    return values if kind is list else _hashed(kind, values, where)


def _hashed(kind: Any, values: list[Any], where: str) -> Value:
    try:
        return kind(values)
    except TypeError:
        raise FormError(
            f"{where} holds a list or dict where only hashable values can stand"
        ) from None


# Reading inputs from a model's answer: JSON, truncated JSON, or Python literals; never by eval.

LONGEST_ANSWER = 1 << 20
"""Maximum number of an answer's characters that are read."""
MOST_INPUTS = 1000
"""Maximum number of inputs from one answer, and of lines to search for literals."""

_MOST_OBJECTS = 4000
"""Maximum number of places in an answer at which to try to read an object."""

_BULLET = re.compile(r"^\s*(?:[-*+]|\(?\d{1,3}[.):])\s+")
_FAILURES = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)
"""Errors from parsing a hostile text."""


@dataclass(frozen=True, slots=True)
class InputAnswer:
    """The inputs in an answer, in order, and the problems of unusable ones."""

    inputs: tuple[tuple[Value, ...], ...]
    problems: tuple[str, ...]


def read_answer(text: str, form: InputForm, *, entry_point: str) -> InputAnswer:
    """Return the inputs in a model's answer: JSON by the schema, else literals in its lines.

    JSON may be in a fence or in prose, and may be cut off: complete inputs count. A line with a
    literal list or tuple of the arguments is an input, as is a call of the entry point with literal
    arguments. A value without the observed types is a problem; types are never guessed.
    """
    text = text[:LONGEST_ANSWER]
    trees = _first(_json_inputs(text)) or _first(_literal_inputs(text, form, entry_point))
    inputs: list[tuple[Value, ...]] = []
    problems: list[str] = []
    for tree in trees:
        try:
            inputs.append(form.read(tree))
        except (FormError, RecursionError) as error:
            problems.append(f"{shorten(tree)}: {error}")
    if not trees:
        problems.append("the answer holds no input in the form asked for")
    if len(trees) == MOST_INPUTS:
        problems.append(f"the answer was read up to its input number {MOST_INPUTS}")
    return InputAnswer(tuple(inputs), tuple(problems))


def _first(trees: Iterator[Any]) -> list[Any]:
    return list(islice(trees, MOST_INPUTS))


def shorten(value: Any) -> str:
    """Return a value's text as one line of at most 120 characters."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer too long to write, or deep nesting
        text = f"a {type(value).__name__}"
    return text if len(text) <= 120 else f"{text[:117]}..."


def no_constant(name: str) -> Any:
    """Reject NaN and the infinities."""
    raise ValueError(f"{name} is not JSON")


def _json_inputs(text: str) -> Iterator[Any]:
    """Yield the elements of the first array named ``inputs``, as far as its JSON is complete."""
    match = re.search(r'"inputs"\s*:\s*\[', text)
    if match is None:
        return
    decoder = json.JSONDecoder()
    at = match.end()
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at >= len(text) or text[at] == "]":
            return
        try:
            tree, at = decoder.raw_decode(text, at)
        except _FAILURES:
            return
        yield tree


def json_objects(
    text: str, *, constant: Callable[[str], Any] = no_constant, problems: list[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the outermost complete JSON objects within a text.

    ``constant`` converts NaN and the infinities, which JSON lacks; reasons why objects could not be
    read are added to ``problems``.
    """

    def number(written: str) -> Any:
        value = float(written)
        # 1e999 is valid JSON, but becomes a number that JSON cannot represent.
        return value if math.isfinite(value) else constant("Infinity" if value > 0 else "-Infinity")

    decoder = json.JSONDecoder(parse_constant=constant, parse_float=number)
    at = 0
    for _ in range(_MOST_OBJECTS):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            tree, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            at += 1
            if problems is not None:
                problems.append(str(error))
        else:
            yield tree


def _literal_inputs(text: str, form: InputForm, entry_point: str) -> Iterator[Any]:
    lines = (_BULLET.sub("", line).strip().rstrip(",;").strip("`") for line in text.splitlines())
    begins = ("[", "(", "{", entry_point)
    for line in islice((line for line in lines if line.startswith(begins)), MOST_INPUTS):
        try:
            node = parsing.parse(line, mode="eval").body
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Call):
                node = node.left  # "f(1, 2) == 3" in an assert or example: the call is the input
            tree = _called(node) if isinstance(node, ast.Call) else ast.literal_eval(node)
        except _FAILURES:
            continue
        yield from _rows(tree, form)


def _called(node: ast.Call) -> Any:
    """Return the literal arguments of a call, as a dict if all are keywords."""
    if node.keywords and not node.args:
        return {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
    if node.keywords:
        raise ValueError("mixed arguments")
    return [ast.literal_eval(argument) for argument in node.args]


def _rows(tree: Any, form: InputForm) -> list[Any]:
    """Return a literal as one input, or its elements if these are inputs."""
    if isinstance(tree, list) and not _fits(tree, form) and any(_fits(row, form) for row in tree):
        return tree
    return [tree]


def _fits(tree: Any, form: InputForm) -> bool:
    try:
        form.read(tree)
    except FormError:
        return False
    return True
