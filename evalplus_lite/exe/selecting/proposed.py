"""Functions of which nothing tells the types that they take: what to ask of each, and of whom.

Who is asked stands elsewhere (a language model, ``mining.inputs.typing``). What it says is text of
unknown origin: it is read as annotations are, never evaluated, and only says what to draw inputs
from.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from evalplus_lite.exe.inlining.closure import ClosureBuilder
from evalplus_lite.exe.inlining.graph import Obstacle
from evalplus_lite.exe.reading.index import Statement
from evalplus_lite.exe.reading.resolve import Definition, External, Resolver, Target, Unresolved
from evalplus_lite.exe.selecting.annotations import PackageAnnotations, Refused
from evalplus_lite.exe.selecting.built import LIBRARY, of_enum
from evalplus_lite.exe.selecting.methods import how_called, made_of
from evalplus_lite.exe.selecting.purity import impurities
from evalplus_lite.exe.selecting.signatures import gives_something, is_overload, listed
from evalplus_lite.exe.selecting.unannotated import Told, types_told
from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.programs import parsing

LONGEST_SHOWN = 8000
"""Characters of a function, or of its class, that are shown."""
LONGEST_TYPE = 200
"""Characters of an annotation that are read."""
UNFIT = "unfit"
"""The answer for a parameter that only something which cannot be written as data suits."""
_FAMILIAR: dict[str, Target] = {
    **{
        name: External("typing", name)
        for name in """List Dict Tuple Set FrozenSet Text Literal Optional Union Sequence Iterable
        Iterator Mapping MutableMapping MutableSequence Collection Generator""".split()
    },
    **{dotted.rpartition(".")[2]: External(*dotted.rsplit(".", 1)) for dotted in LIBRARY},
    **{name: External(name) for name in ("typing", "pathlib", "decimal", "fractions")},
}
"""What is meant by names that a module does not import."""


@dataclass(frozen=True, slots=True)
class Question:
    """A function, and those of its parameters whose types are asked for."""

    module: str
    name: str
    """Of a method with its class: ``Class.method``."""
    text: str
    """Its source; of a method its class's, or as much of it as matters."""
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What was said of a question's parameters, as far as it can be used; and what it cost."""

    types: Mapping[str, Told] = field(default_factory=dict)
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    problem: str = ""
    """Why nothing came of it, of a question that got no answer."""

    @property
    def cost(self) -> dict[str, int]:
        """What it took, as a task row says it."""
        return {
            "requests": self.requests,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
        }


Check: TypeAlias = Callable[[Mapping[str, object]], tuple[dict[str, Told], list[str]]]
"""Reads annotations by parameter: the types that can be used, and what is wrong with the others."""
Ask: TypeAlias = Callable[[Question, Check, str], Proposal]
"""Answers a question, knowing what came of an earlier answer, if there was one."""


class _Familiar(Resolver):
    """Resolves names in annotations that nobody imported as what everybody means by them."""

    def resolve_annotation(self, module: str, name: str) -> Target:
        found = super().resolve_annotation(module, name)
        return _FAMILIAR.get(name, found) if isinstance(found, Unresolved) else found


@dataclass(slots=True)
class Proposals:
    """Asks for the types of functions that would be mined if their types were known, each once.

    Nobody is asked about a function whose program is not pure by its text, that gives nothing
    back, or that has another parameter of a type that cannot be written as data.
    """

    ask: Ask
    resolver: Resolver
    hopeless: dict[Definition, list[Obstacle]]
    """What no program can hold, and why."""
    only: Collection[str] | None = None
    """Ids of functions that are asked for; all, if None."""
    most: int | None = None
    """Questions that are asked at most."""
    asked: int = 0
    found: dict[tuple[str, int], Proposal] = field(default_factory=dict)
    """By module and line."""
    _open: dict[tuple[str, int], tuple[Question, Check]] = field(default_factory=dict)
    """What was asked, and how answers are read."""
    _pure: dict[Definition, bool] = field(default_factory=dict)

    def __call__(
        self,
        module: str,
        owner: str,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        reader: PackageAnnotations,
        known: Mapping[str, Told],
    ) -> Mapping[str, Told]:
        """Return what is proposed of a function's parameters, those ``known`` left out."""
        place = module, node.lineno
        if place not in self.found:
            self.found[place] = Proposal()  # an object that is made of itself asks again
            missing = self._missing(module, owner, node, reader, known)
            if missing and (self.most is None or self.asked < self.most):
                self.asked += 1
                self._open[place] = self._question(module, owner, node, reader, missing)
                self.found[place] = self.ask(*self._open[place], "")
        return self.found[place].types

    def again(self, place: tuple[str, int], trouble: str) -> bool:
        """Ask once more about the function of a module and line; say whether there is an answer.

        ``trouble`` is what came of the first. What both took is kept as one.
        """
        if place not in self._open:
            return False
        first, second = self.found[place], self.ask(*self._open.pop(place), trouble)
        self.found[place] = replace(
            second,
            requests=first.requests + second.requests,
            prompt_tokens=first.prompt_tokens + second.prompt_tokens,
            completion_tokens=first.completion_tokens + second.completion_tokens,
        )
        return bool(second.types) and second.types != first.types

    def _missing(
        self,
        module: str,
        owner: str,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        reader: PackageAnnotations,
        others: Mapping[str, Told],
    ) -> dict[str, bool]:
        """Return the parameters to ask about, each with whether no call gives it if nothing fits.

        None where no answer would help.
        Somebody is asked about what nothing tells; and then about what its use alone tells, too.
        """
        parent = self._statement(module, owner or node.name)
        if isinstance(node, ast.AsyncFunctionDef) or parent is None:
            return {}
        if not owner and (parent.node.lineno != node.lineno or is_overload(node)):
            return {}
        if owner and (self._is_bound_again(module, owner) or node.args.posonlyargs):
            return {}
        how = how_called(node) if owner else ""
        if how is None or not (node.name == "__init__" or gives_something(node)):
            return {}
        told = types_told(node) | dict(others)
        taken = listed(node.args)
        if how and how != "static" and taken and taken[0][0].arg in ("self", "cls"):
            del taken[0]
        missing: dict[str, bool] = {}
        is_needed = False
        for argument, kind, default in taken:
            is_required = default is None and kind in ("positional", "keyword")
            if argument.annotation is not None:
                if is_required and isinstance(reader.read(argument.annotation, module), Refused):
                    return {}
            elif (known := told[argument.arg]).type is None or known.origin in ("use", "none"):
                is_unknown = known.type is None or known.origin == "none"
                missing[argument.arg] = is_unknown and not is_required
                is_needed = is_needed or (is_required and is_unknown)
        if not is_needed:
            return {}
        if node.returns is not None and node.name != "__init__":
            result = reader.read(node.returns, module, result=True)
            if isinstance(result, Refused):
                return {}
        if self.only is not None and not self._is_wanted(module, owner, node.name):
            return {}
        if not self._is_pure(Definition(module, owner or node.name)):
            return {}
        if how in ("method", "property") and node.name != "__init__":
            if not isinstance(parent.node, ast.ClassDef):
                return {}
            where = Definition(module, owner)
            if of_enum(parent.node, where, reader.resolver) is None and isinstance(
                made_of(module, parent.node, reader), Refused
            ):
                return {}
        return missing

    def _is_wanted(self, module: str, owner: str, name: str) -> bool:
        """Return whether one of the functions that are asked for may be this, or need it."""
        wanted = self.only or ()
        start = f"{self.resolver.index.package.name}/{module}."
        if name != "__init__":
            own = [f"{owner}_{name}"] if owner else [name, f"call_{name}"]
            return any(f"{start}{each}" in wanted for each in own)
        return any(id.startswith(f"{start}{owner}_") or ".call_" in id for id in wanted)

    def _is_bound_again(self, module: str, name: str) -> bool:
        parsed = self.resolver.index.module(module)
        return parsed is not None and len(parsed.bindings.get(name, [])) > 1

    def _is_pure(self, subject: Definition) -> bool:
        if subject not in self._pure:
            closure = ClosureBuilder(self.resolver, self.hopeless).build(subject)
            self._pure[subject] = not (closure.problems or [*impurities(closure)])
        return self._pure[subject]

    def _statement(self, module: str, name: str) -> Statement | None:
        parsed = self.resolver.index.module(module)
        bound = parsed.bindings.get(name, []) if parsed else []
        return bound[-1] if bound else None

    def _question(
        self,
        module: str,
        owner: str,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        reader: PackageAnnotations,
        missing: Mapping[str, bool],
    ) -> tuple[Question, Check]:
        statement = self._statement(module, owner or node.name)
        text = "" if statement is None else shown(statement, node)
        name = f"{owner}.{node.name}" if owner else node.name
        lenient = replace(reader, resolver=_Familiar(self.resolver.index))

        def check(said: Mapping[str, object]) -> tuple[dict[str, Told], list[str]]:
            types: dict[str, Told] = {}
            problems: list[str] = []
            for parameter, is_left_out in missing.items():
                kind = read_proposed(said.get(parameter), lenient, module)
                if isinstance(kind, Type):
                    types[parameter] = Told(kind, "model")
                elif kind:
                    problems.append(f"{parameter}: {kind}")
                elif is_left_out:
                    types[parameter] = Told(None, "model")
            return types, problems

        return Question(module, name, text, tuple(missing)), check


def read_proposed(said: object, reader: PackageAnnotations, module: str) -> Type | str:
    """Return the type of an annotation that was proposed, or what is wrong with it.

    An empty text: nothing is, no type fits.
    """
    if said is None:
        return "no type is given"
    if not isinstance(said, str) or not said.strip():
        return "the type is to be written as a text"
    text = said.strip()
    if text.lower() == UNFIT:
        return ""
    short = text[:60]
    if len(text) > LONGEST_TYPE:
        return f"{short}... is too long"
    try:
        node = parsing.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"{short} is no annotation"
    found = reader.read(node, module)
    if isinstance(found, Refused):
        return f"{short}: values of {found.detail[:60]} cannot be written as data"
    if found.kind in ("any", "object", "none"):
        return f"{short} says nothing"
    return found


def shown(statement: Statement, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return a function's source, of a method its class's: all of it, or what matters most."""
    text = statement.text
    if len(text) > LONGEST_SHOWN and isinstance(statement.node, ast.ClassDef):
        lines = text.split("\n")
        start = _first(statement.node)
        parts = [lines[: statement.node.lineno - start + 1]]
        for each in statement.node.body:
            is_init = isinstance(each, ast.FunctionDef) and each.name == "__init__"
            if is_init or each.lineno == node.lineno:
                end = each.end_lineno or each.lineno
                parts.append(lines[_first(each) - start : end - start + 1])
        text = "\n    ...\n".join("\n".join(part) for part in parts)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}\n..."


def _first(node: ast.stmt) -> int:
    found: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in found)])
