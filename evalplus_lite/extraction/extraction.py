"""Choosing, from the pieces of an answer, the program that it means."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from evalplus_lite import definitions
from evalplus_lite.extraction import characters
from evalplus_lite.extraction.blocks import Budget, fenced, spans, whole_statements
from evalplus_lite.extraction.pruning import superfluous
from evalplus_lite.types import Task

Kind: TypeAlias = Literal["solution", "completion"]
Step: TypeAlias = Literal[
    "removed model tokens",
    "replaced odd characters",
    "expanded tabs",
    "took a fenced block",
    "joined blocks",
    "cut what does not compile",
    "continued the prompt",
    "mended the indentation",
    "took definitions from the prompt",
    "dropped examples",
    "found no program",
]
STEPS: tuple[Step, ...] = get_args(Step)
"""All that may be done to an answer, in the order in which it is told."""
COMPILED_CHARACTERS = 2_000_000
"""How much may be compiled in search of one answer's program: some hundred tries at a long one."""

_MAYBE_PROSE = re.compile(r"^[A-Za-z_]\w*[ \t]*(?::[ \t]*[A-Za-z_][^#\n=]*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Extraction:
    """A program, and what was done to the answer to get it; no steps: it is the answer itself."""

    source: str
    steps: tuple[Step, ...] = ()


def extract(text: str, task: Task, *, kind: Kind = "solution") -> Extraction:
    """Return the program that an answer to ``task`` means.

    ``kind`` says what the answer was meant as: a whole ``solution``, or a ``completion`` to follow
    the prompt (where the task's style has it so). The last block that defines the entry point, with
    a body, is the one that counts; what it lacks is taken from other blocks and from the prompt.
    """
    whole = joined(text, task, kind=kind)
    if _is_fine(whole, text, task, kind):
        return Extraction(whole)
    return _Search(task, kind).program(text) or Extraction(whole, ("found no program",))


def joined(text: str, task: Task, *, kind: Kind) -> str:
    """Return the program that an answer makes as it stands: a completion follows the prompt."""
    if kind == "completion" and task.style == "completion":
        return task.prompt + text
    return text


def _is_fine(whole: str, text: str, task: Task, kind: Kind) -> bool:
    """Say whether the answer is a program as it stands; the usual case, so without a tree."""
    if definitions.fault(whole) is not None:
        return False
    head = re.compile(rf"^(?:async\s+)?def\s+{re.escape(task.entry_point)}\b", re.MULTILINE)
    if kind == "solution" and head.search(text) and not _MAYBE_PROSE.search(text):
        return True
    tree = definitions.parse(whole)
    if tree is None or not definitions.defines(tree, task.entry_point) or _has_prose(tree):
        return False
    if kind == "solution" or not head.search(textwrap.dedent(text)):
        return True
    # A completion with a head of its own, indented, is a function that is never called.
    return not _only_nests(tree, task.entry_point)


def _has_prose(tree: ast.Module) -> bool:
    """Say whether words stand at the top level that Python takes for names it does not know.

    What fences leave behind ("python") and some sentences ("Note: recursion") compile, but fail as
    soon as they are reached.
    """
    for statement in tree.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name):
            said: ast.expr = statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is None:
            said = statement.annotation
        else:
            continue
        if definitions.used(said) & definitions.undefined(tree.body):
            return True
    return False


def _only_nests(tree: ast.Module, name: str) -> bool:
    """Say whether the last function of that name only defines another one of that name."""
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    if not found:
        return False
    inner = [node for node in found[-1].body if not isinstance(node, ast.Expr)]
    return bool(inner) and all(
        isinstance(node, ast.FunctionDef) and node.name == name for node in inner
    )


@dataclass(frozen=True, slots=True)
class _Variant:
    """The answer with its characters as they are, or mended."""

    text: str
    steps: tuple[Step, ...]


class _Search:
    """One answer's way to its program: whole pieces first, cut ones only where there are none."""

    def __init__(self, task: Task, kind: Kind) -> None:
        self.task, self.kind = task, kind
        self.budget = Budget(COMPILED_CHARACTERS)

    def program(self, text: str) -> Extraction | None:
        """Return the program of the first way that leads to one."""
        variants = list(_variants(text))
        ways: list[Callable[[_Variant], Extraction | None]] = [self._blocks]
        if self.task.style == "completion":
            ways.insert(0 if self.kind == "completion" else 1, self._body)
        for way in ways:
            for variant in variants:
                found = way(variant)
                if found is not None:
                    return found
        return self._cut(variants)

    def _blocks(self, variant: _Variant) -> Extraction | None:
        """Take whole pieces: the answer itself, its fenced blocks, stretches between fences."""
        found = self._assemble([variant.text], variant.steps)
        if found is not None:
            return found
        fences = fenced(variant.text)
        steps: tuple[Step, ...] = (*variant.steps, "took a fenced block")
        found = self._assemble(fences.blocks, steps)
        for stretch in fences.stretches if found is None else ():
            found = self._assemble([stretch], steps)
            if found is not None:
                break
        return found

    def _body(self, variant: _Variant) -> Extraction | None:
        """Take the answer, or a fenced block of it, as what follows the prompt."""
        for text, steps in self._bodies(variant):
            for body, mended in _indentations(text, self.task.entry_point):
                source = self._after_prompt(body)
                if self.budget.fault(source) is None and self._answers(source):
                    return _told(source, *steps, "continued the prompt", *mended)
        return None

    def _cut(self, variants: Sequence[_Variant]) -> Extraction | None:
        """Take what remains when prose and broken statements are cut off: the most there is."""
        ways = [self._cut_pieces]
        if self.task.style == "completion":
            ways.insert(0 if self.kind == "completion" else 1, self._cut_bodies)
        for way in ways:
            found = [extraction for variant in variants for extraction in way(variant)]
            if found:
                return max(found, key=lambda extraction: len(extraction.source.split()))
        return None

    def _cut_pieces(self, variant: _Variant) -> Iterator[Extraction]:
        for block in fenced(variant.text).blocks:
            steps = (*variant.steps, "took a fenced block", "cut what does not compile")
            found = self._assemble(list(spans(block, self.budget)), steps)
            if found is not None:
                yield found
        found = self._assemble(
            list(spans(variant.text, self.budget)), (*variant.steps, "cut what does not compile")
        )
        if found is not None:
            yield found

    def _cut_bodies(self, variant: _Variant) -> Iterator[Extraction]:
        for text, steps in self._bodies(variant):
            yield from self._cut_body(text, steps)

    def _cut_body(self, text: str, steps: tuple[Step, ...]) -> Iterator[Extraction]:
        for body, mended in _indentations(text, self.task.entry_point):
            lines = self._after_prompt(body).split("\n")
            fixed = self.task.prompt.count("\n")
            kept = whole_statements(lines, self.budget, fixed=fixed)
            source = "\n".join(lines[:kept]) + "\n"
            if kept and self._answers(source):
                yield _told(
                    source, *steps, "cut what does not compile", "continued the prompt", *mended
                )
                return

    def _bodies(self, variant: _Variant) -> Iterator[tuple[str, tuple[Step, ...]]]:
        yield variant.text, variant.steps
        for block in fenced(variant.text).blocks:
            yield block, (*variant.steps, "took a fenced block")

    def _after_prompt(self, body: str) -> str:
        prompt = self.task.prompt
        return (prompt if prompt.endswith("\n") else prompt + "\n") + body

    def _works(self, source: str) -> bool:
        tree = definitions.parse(source)
        return (
            tree is not None
            and definitions.defines(tree, self.task.entry_point)
            and not definitions.is_stub(tree, self.task.entry_point)
            and not _only_nests(tree, self.task.entry_point)
        )

    def _answers(self, source: str) -> bool:
        """Say whether a program works and its function gives something back: words never do."""
        if not self._works(source):
            return False
        tree = ast.parse(source)
        body = definitions.needed(tree.body, [self.task.entry_point])
        gives = (ast.Return, ast.Yield, ast.YieldFrom, ast.Lambda)
        return any(isinstance(node, gives) for statement in body for node in ast.walk(statement))

    def _assemble(self, pieces: Sequence[str], steps: tuple[Step, ...]) -> Extraction | None:
        """Make a program of the piece that defines the entry point, and of what it lacks."""
        name = self.task.entry_point
        whole = [piece for piece in pieces if self.budget.fault(piece) is None]
        trees = [(piece, tree) for piece in whole if (tree := definitions.parse(piece))]
        mains = [
            (piece, tree)
            for piece, tree in trees
            if definitions.defines(tree, name) and not definitions.is_stub(tree, name)
        ]
        if not mains:
            return None
        complete = [(piece, tree) for piece, tree in mains if not self._missing(tree.body)]
        piece, tree = (complete or mains)[-1]
        missing, front = self._missing(tree.body), ""
        for other, other_tree in trees:
            lent = definitions.needed(other_tree.body, missing) if other_tree is not tree else []
            if lent and (missing & _all_bound(lent)):
                front += definitions.text_of(other, lent)
                missing = (missing | definitions.undefined(lent)) - _all_bound(lent)
                steps = (*steps, "joined blocks")
        lent = definitions.needed(self._prompt_definitions(), missing)
        if lent:
            front = definitions.text_of(self.task.prompt, lent) + front
            steps = (*steps, "took definitions from the prompt")
        dropped = superfluous(tree, name)
        if dropped:
            piece = definitions.without(piece, tree, dropped)
            steps = (*steps, "dropped examples")
        return _told(front + piece, *steps) if self._works(front + piece) else None

    def _missing(self, statements: Sequence[ast.stmt]) -> frozenset[str]:
        needed = definitions.needed(statements, [self.task.entry_point])
        return definitions.undefined(needed) - _all_bound(statements)

    def _prompt_definitions(self) -> list[ast.stmt]:
        """Return what the prompt defines besides the entry point."""
        if self.task.style != "completion":
            return []
        tree = definitions.parse(self.task.prompt) or definitions.parse(
            self._after_prompt("    pass")
        )
        body = tree.body if tree else []
        return [s for s in body if self.task.entry_point not in definitions.bound(s)]


def _variants(text: str) -> Iterator[_Variant]:
    """Yield the answer as it is, then with more and more of its characters mended."""
    variant = _Variant(text, ())
    yield variant
    mends: tuple[tuple[Step, Callable[[str], str]], ...] = (
        ("removed model tokens", lambda text: characters.MODEL_TOKENS.sub("", text)),
        ("replaced odd characters", characters.plain),
    )
    for step, mend in mends:
        mended = mend(variant.text)
        if mended != variant.text:
            variant = replace(variant, text=mended, steps=(*variant.steps, step))
            yield variant
    if "\t" in variant.text:
        for width in (4, 8):
            mended = characters.without_tabs(variant.text, width=width)
            yield replace(variant, text=mended, steps=(*variant.steps, "expanded tabs"))


def _indentations(text: str, entry_point: str) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """Yield a function's body as it is, with its first line mended, and indented as a whole."""
    yield text, ()
    if re.search(rf"^\s*(?:async\s+)?def\s+{re.escape(entry_point)}\b", text, re.MULTILINE):
        return  # no body: within the prompt's function it would only define another one
    stripped = text.lstrip("\n")
    if stripped[:1] not in " \t":
        yield "    " + stripped, ("mended the indentation",)
    yield textwrap.indent(textwrap.dedent(text), "    "), ("mended the indentation",)


def _all_bound(statements: Sequence[ast.stmt]) -> frozenset[str]:
    return frozenset().union(*map(definitions.bound, statements))


def _told(source: str, *steps: Step) -> Extraction:
    return Extraction(source, tuple(step for step in STEPS if step in steps))
