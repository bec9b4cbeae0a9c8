"""Extraction of the program in an answer: the answer itself, or a part found by a search."""

from __future__ import annotations

import ast
import html
import json
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from evalplus_lite.programs import definitions, helper
from evalplus_lite.programs.extraction.blocks import (
    MOST_STATEMENTS,
    ParseBudget,
    fenced,
    spans,
    stretches,
    whole_statements,
)
from evalplus_lite.programs.extraction.trimming import (
    STEPS,
    Extraction,
    Kind,
    Step,
    acts,
    all_bound,
    borrows_besides,
    chosen,
    has_definitions,
    may_lack,
    misread,
    missing,
    only_borrows,
    only_nests,
    prompt_definitions,
    superfluous,
)
from evalplus_lite.types import Task

_LOOK_TWICE = re.compile(
    # Lines that may be prose or marks such as [DONE], and HTML entities.
    r"^(?!(?:import|from|class|def|del|global|pass)\b)"
    r"~*[A-Za-z_][\w ,]*(?::[ \t]*[A-Za-z_][^#\n=]*)?\r?$"
    r"|^\[[/\w ]*\][ \t]*\r?$"
    r"|&(?:lt|gt|amp|quot|apos|nbsp);",
    re.MULTILINE,
)


def extract(text: str, task: Task, *, kind: Kind = "solution") -> Extraction:
    """Return the program in an answer to ``task``.

    ``kind`` is ``solution`` for a whole program, or ``completion`` for one that continues the
    prompt (if the task's style allows it). The last block that defines the entry point with a body
    counts; missing parts come from other blocks and from the prompt. For a task without an entry
    point it is the last whole program, and nothing is dropped.
    """
    whole = joined(text, task, kind=kind)
    if len(text) > SEARCHED_CHARACTERS and len(without_thinking(text)) > SEARCHED_CHARACTERS:
        return Extraction(whole, ("too large to look into",))
    if _is_fine(whole, text, task, kind):
        return Extraction(whole)
    return Search(task, kind).program(text) or Extraction(whole, ("found no program",))


def joined(text: str, task: Task, *, kind: Kind) -> str:
    """Return an answer as a program without a search: a completion is appended to the prompt."""
    if kind == "completion" and task.style == "completion":
        return task.prompt + text
    return text


def _is_fine(whole: str, text: str, task: Task, kind: Kind) -> bool:
    """Return whether the answer already is a program; usually decided without building a tree."""
    if len(text) > SEARCHED_CHARACTERS or task.defined not in whole:
        return False
    if definitions.fault(whole) is not None:
        return False
    if not task.defined:
        tree = definitions.tree_of(whole)
        if tree is None or not (acts(tree) or has_definitions(tree)):
            return False
        return not _has_prose(tree) and not misread(tree)
    name = re.escape(task.defined)
    head = re.compile(rf"^(async\s+)?def\s+{name}\b", re.MULTILINE)
    borrowed = re.search(rf"^from\b.*\bimport\b.*\b{name}\b", text, re.MULTILINE)
    lent = may_lack(text, task) if kind == "solution" else frozenset()
    simple = head.search(text) if kind == "solution" else None
    if simple and not simple[1] and not (lent or borrowed or _LOOK_TWICE.search(text)):
        return True
    tree = definitions.tree_of(whole)
    if tree is not None and len(tree.body) > MOST_STATEMENTS:
        return True
    if tree is None or not definitions.defines(tree, task.defined) or _has_prose(tree):
        return False
    if lent & missing(tree.body, task.defined):
        return False
    if misread(tree) or borrows_besides(tree, task.defined):
        return False
    if any(isinstance(n, ast.AsyncFunctionDef) and n.name == task.defined for n in tree.body):
        return False
    if kind == "solution" or not head.search(textwrap.dedent(text)):
        return True
    # A completion that repeats the function, indented, defines one that is never called.
    return not only_nests(tree, task.defined)


def _has_prose(tree: ast.Module) -> bool:
    """Return whether words at the top level parse as undefined names.

    Remains of fences ("python") and some sentences ("Note: recursion") compile, but fail when
    executed.
    """
    unknown = definitions.undefined(tree.body)
    for statement in tree.body:
        if isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Call):
            said: ast.AST = statement
        elif isinstance(statement, ast.AnnAssign) and statement.value is None:
            said = statement.annotation
        else:
            continue
        if definitions.used(said) & unknown:
            return True
    return False


# Extraction in a helper process, for untrusted texts at a bounded cost.


def extract_bounded(text: str, task: Task, *, kind: Kind = "solution") -> Extraction:
    """Extract as ``extract`` does, in a helper process; answers too large stay unchanged."""
    try:
        source, steps = helper.ask(
            "extract",
            text=text,
            prompt=task.prompt,
            entry_point=task.entry_point,
            style=task.style,
            kind=kind,
        )
    except helper.TooLarge:
        return Extraction(joined(text, task, kind=kind), ("too large to look into",))
    return Extraction(source, tuple(steps))


# Characters that editors and chat interfaces substitute for plain ones.

SPACES = frozenset(map(chr, [0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000]))
INVISIBLE = frozenset(map(chr, [0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF]))
LINE_ENDS = frozenset("\u0085\u2028\u2029")
DASHES = frozenset("\u2010\u2011\u2012\u2013\u2212")
SINGLE = frozenset("\u2018\u2019\u201a\u201b\u2032\u00b4")
DOUBLE = frozenset("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb")
ODD = SPACES | INVISIBLE | LINE_ENDS | DASHES | SINGLE | DOUBLE

# Tokens for turns and ends that some models leave in their text.
MODEL_TOKENS = re.compile(
    r"<[|\uff5c][^<>|\uff5c\n]{1,40}[|\uff5c]>|</?s>|<eos>|<eot>"
    r"|(?<!\w)\[/?(?:INST|PYTHON|ANSWER)\]|^[ \t]*\[/?[A-Z][A-Z_ ]{1,30}\][ \t]*\r?$",
    re.MULTILINE,
)
# Tags between the reasoning and the answer of some models.
END_OF_THINKING = re.compile(r"</(?:think|thinking|thought|reasoning)>")

_PLAIN_TEXT = re.compile(
    r"""\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
    r"""|\#[^\n]*""",
    re.DOTALL,
)
_TERMINAL_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)\??(?P<count>\d{0,4})[0-9;]{0,20}(?P<final>[@-~])"
    r"|\x1b\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)?|\x1b[()][A-Z0-9]|\x1b[=>78cDEHM]|\x1b|[\b]"
)
_INDENTATION = re.compile(r"^ *\t[ \t]*", re.MULTILINE)


def without_escapes(text: str) -> str:
    """Return a text as a terminal would show it, without colors, and with erased and overwritten
    parts resolved.

    Programs that run models in a terminal wrap lines by moving back, erasing and writing again.
    """
    if "\x1b" not in text and "\x9b" not in text and "\b" not in text:
        return text
    return "\n".join(map(_shown, text.split("\n")))


def _shown(line: str) -> str:
    if _TERMINAL_ESCAPE.search(line) is None:
        return line
    cells: list[str] = []
    column = at = 0
    for escape in _TERMINAL_ESCAPE.finditer(line):
        part = line[at : escape.start()]
        cells[column : column + len(part)] = part
        column += len(part)
        at = escape.end()
        count = min(int(escape["count"] or 1), len(cells))
        match escape["final"]:
            case "D":
                column = max(0, column - count)
            case "G":
                column = min(count - 1, len(cells)) if count else 0
            case "K" if escape["count"] == "2":
                cells, column = [], 0
            case "K":
                del cells[column:]
            case _:
                column -= bool(column) and escape[0] == "\b"
    part = line[at:]
    cells[column : column + len(part)] = part
    return "".join(cells)


def plain(text: str) -> str:
    """Return the text with odd characters outside strings and comments replaced by plain ones.

    Spaces and line ends of any kind become plain, invisible characters are removed, dashes become
    minus signs, and curly quotes become straight ones; text between two quotes is unchanged.
    """
    if ODD.isdisjoint(text):
        return text
    parts: list[str] = []
    unclosed: dict[tuple[str, int], int] = {}
    at = 0
    while at < len(text):
        literal = _PLAIN_TEXT.match(text, at)
        if literal:
            parts.append(literal[0])
            at = literal.end()
            continue
        character = text[at]
        if character == "\\":  # the next character does not open a string
            parts.append(character + "".join(map(_plain_character, text[at + 1 : at + 2])))
            at += 2
            continue
        if character in SINGLE or character in DOUBLE:
            content, at = _between(text, at, unclosed)
            parts.append(content)
            continue
        parts.append(_plain_character(character))
        at += 1
    return "".join(parts)


def without_tabs(text: str, *, width: int) -> str:
    """Return the text with leading tabs expanded to multiples of ``width`` spaces.

    Other tabs may be within strings, where they are significant.
    """
    return _INDENTATION.sub(lambda match: match[0].expandtabs(width), text)


def _plain_character(character: str) -> str:
    if character in SPACES:
        return " "
    if character in INVISIBLE:
        return ""
    if character in LINE_ENDS:
        return "\n"
    return "-" if character in DASHES else character


def _between(text: str, at: int, unclosed: dict[tuple[str, int], int]) -> tuple[str, int]:
    """Return a string in curly quotes with straight ones, and its end.

    Three quotes open a string of several lines. Without a closing quote, only the opening one is
    replaced; ``unclosed`` records how far none was found, so that the search is not repeated.
    """
    family, straight = (SINGLE, "'") if text[at] in SINGLE else (DOUBLE, '"')
    width = 3 if len(text) > at + 2 and all(c in family for c in text[at : at + 3]) else 1
    end = at + width
    if end < unclosed.get((straight, width), 0):
        return straight, at + 1
    while end < len(text):
        if text[end] == "\\":
            end += 2
            continue
        if width == 1 and text[end] == "\n":
            break
        if text[end] in family and all(c in family for c in text[end : end + width]):
            content = text[at + width : end]
            if width == 1:
                content = content.replace(straight, "\\" + straight)
            return straight * width + content + straight * width, end + width
        end += 1
    unclosed[straight, width] = end
    return straight, at + 1


# Formats that programs may be wrapped in: sessions, JSON, HTML.

MOST_TEXTS = 20  # texts of one JSON document that are examined

_PROMPT = re.compile(r"[ \t]*(?:>>>|\.{3,8}:|\.\.\.|In \[\d{0,6}\]:)(?: (.*)|(.*))$")
_FIRST_PROMPT = re.compile(r"^[ \t]*(?:>>>|In \[\d{0,6}\]:)", re.MULTILINE)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{2,4}|#x[0-9a-fA-F]{2,4});")
_TAG = re.compile(r"</?(pre|code|p|br|div|span)\b[^<>\n]{0,200}>", re.IGNORECASE)
_ESCAPED_LINE = re.compile(r"\\n[ \t]")
_ESCAPE = re.compile(r"""\\(["'\\/nrt])""")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def session(text: str) -> Iterator[str]:
    """Yield the input of an interactive session, without prompts and output."""
    if not _FIRST_PROMPT.search(text):
        return
    typed = []
    for line in text.split("\n"):
        match = _PROMPT.match(line)
        if match:
            typed.append(match[1] if match[1] is not None else match[2] or "")
    yield "\n".join(typed) + "\n"


def json_texts(text: str) -> Iterator[str]:
    """Yield the strings of a JSON document, longest first, or the content of an unquoted one."""
    begin = min((at for mark in '{["' if (at := text.find(mark)) >= 0), default=-1)
    if begin >= 0:
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(text, begin)
        except (ValueError, RecursionError):
            value = None
        texts = sorted(_texts(value), key=len, reverse=True)
        yield from texts[:MOST_TEXTS]
    if _ESCAPED_LINE.search(text):
        yield _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), text)


def _texts(value: object) -> Iterator[str]:
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            pending += one
            if one and all(isinstance(each, str) for each in one):
                yield "\n".join(each.removesuffix("\n") for each in one)
        elif isinstance(one, dict):
            pending += one.values()


def hypertext(text: str) -> Iterator[str]:
    """Yield the text without HTML tags and entities."""
    plain = _TAG.sub(lambda tag: "" if tag[1].lower() in ("span", "code") else "\n", text)
    if plain != text or _ENTITY.search(text):
        yield html.unescape(plain).replace("\xa0", " ")


WRAPPINGS: tuple[tuple[Step, Callable[[str], Iterator[str]]], ...] = (
    ("unescaped HTML", hypertext),
    ("took the text out of JSON", json_texts),
    ("took what was typed in a session", session),
)


# Programs with another interface than requested: a method.


def method_call(tree: ast.Module, name: str) -> str | None:
    """Return a function with this name that calls a class's method, or None if no class has one.

    The method has the function's name, or is the only public one of a class ``Solution``. The class
    must not need arguments.
    """
    for node in reversed(tree.body):
        if not isinstance(node, ast.ClassDef):
            continue
        methods = {inner.name: inner for inner in node.body if isinstance(inner, ast.FunctionDef)}
        public = [method for method in methods if not method.startswith("_")]
        if name in methods:
            chosen = name
        elif node.name == "Solution" and len(public) == 1:
            chosen = public[0]
        else:
            continue
        if "__init__" not in methods or not _asks_for_more(methods["__init__"].args):
            return (
                f"\n\ndef {name}(*args, **kwargs):\n"
                f"    return {node.name}().{chosen}(*args, **kwargs)\n"
            )
    return None


def _asks_for_more(arguments: ast.arguments) -> bool:
    given = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return given > 1 or any(default is None for default in arguments.kw_defaults)


# Limit on characters that are compiled to search one answer: ten times the most that any real one
# needed.
COMPILED_CHARACTERS = 250_000


# Limit on the length of an answer without its reasoning; real ones are far shorter.
SEARCHED_CHARACTERS = 50_000


@dataclass(frozen=True, slots=True)
class _Variant:
    """The answer, unchanged or with some characters replaced."""

    text: str
    steps: tuple[Step, ...]


class Search:
    """The search in one answer: whole pieces first, then pieces with parts cut off."""

    def __init__(self, task: Task, kind: Kind) -> None:
        self.task, self.kind = task, kind
        self.budget = ParseBudget(COMPILED_CHARACTERS)

    def program(self, text: str) -> Extraction | None:
        """Return the result of the first successful strategy, or None."""
        said = without_thinking(text)
        if said != text:
            extraction = self.program(said)
            if extraction is not None:
                return _extraction(extraction.source, "left out the thinking", *extraction.steps)
        if len(text) > SEARCHED_CHARACTERS:
            return None
        variants = list(_variants(text))
        ways: list[Callable[[_Variant], Extraction | None]] = [self._blocks]
        if self.task.style == "completion":
            ways.insert(0 if self.kind == "completion" else 1, self._body)
        # Unwrap other formats before cutting anything off.
        for texts in (variants, variants[-1:] and list(self._unwrapped(variants[-1]))):
            for way in ways:
                extraction = next(filter(None, map(way, texts)), None)
                if extraction is not None:
                    return extraction
        return self._cut(variants)

    def _unwrapped(self, variant: _Variant) -> Iterator[_Variant]:
        """Yield the unwrapped content of the answer, or of its fenced blocks: a session,
        JSON, HTML.
        """
        for text, steps in self._bodies(variant):
            for step, unwrap in WRAPPINGS:
                for inner in unwrap(text):
                    self.budget.left -= len(text) // 20 + 100
                    if self.budget.left <= 0:
                        return
                    yield _Variant(inner, (*steps, step))

    def _blocks(self, variant: _Variant) -> Extraction | None:
        """Try whole pieces: the answer itself, its fenced blocks, stretches between fences."""
        extraction = self._assemble([variant.text], variant.steps)
        if extraction is not None:
            return extraction
        steps: tuple[Step, ...] = (*variant.steps, "took a fenced block")
        extraction = self._assemble(fenced(variant.text), steps)
        if extraction is not None:
            return extraction
        tries = (self._assemble([stretch], steps) for stretch in stretches(variant.text))
        return next(filter(None, tries), None)

    def _body(self, variant: _Variant) -> Extraction | None:
        """Try the answer, or a fenced block of it, as the continuation of the prompt."""
        for text, steps in self._bodies(variant):
            for body, mended in _indentations(text, self.task.defined):
                source = self._after_prompt(body)
                if self._answers(self.budget.tree(source)):
                    return _extraction(source, *steps, "continued the prompt", *mended)
        return None

    def _cut(self, variants: Sequence[_Variant]) -> Extraction | None:
        """Try the longest part that remains when prose and broken statements are cut off."""
        ways = [self._cut_pieces]
        if self.task.style == "completion":
            ways.insert(0 if self.kind == "completion" else 1, self._cut_bodies)
        for way in ways:
            extractions = [extraction for variant in variants for extraction in way(variant)]
            if extractions:
                return max(extractions, key=lambda extraction: len(extraction.source.split()))
        return None

    def _cut_pieces(self, variant: _Variant) -> Iterator[Extraction]:
        for block in fenced(variant.text):
            steps = (*variant.steps, "took a fenced block", "cut what does not compile")
            extraction = self._assemble(list(spans(block, self.budget)), steps)
            if extraction is not None:
                yield extraction
        extraction = self._assemble(
            list(spans(variant.text, self.budget)), (*variant.steps, "cut what does not compile")
        )
        if extraction is not None:
            yield extraction

    def _cut_bodies(self, variant: _Variant) -> Iterator[Extraction]:
        fixed = self.task.prompt.count("\n")
        for text, steps in self._bodies(variant):
            for body, mended in _indentations(text, self.task.defined):
                lines = self._after_prompt(body).split("\n")
                kept = whole_statements(lines, self.budget, fixed=fixed)
                source = "\n".join(lines[:kept]) + "\n"
                if kept and self._answers(self.budget.tree(source)):
                    yield _extraction(
                        source, *steps, "cut what does not compile", "continued the prompt", *mended
                    )
                    break

    def _bodies(self, variant: _Variant) -> Iterator[tuple[str, tuple[Step, ...]]]:
        yield variant.text, variant.steps
        for block in fenced(variant.text):
            yield block, (*variant.steps, "took a fenced block")

    def _after_prompt(self, body: str) -> str:
        prompt = self.task.prompt
        return (prompt if prompt.endswith("\n") else prompt + "\n") + body

    def _works(self, tree: ast.Module | None) -> bool:
        name = self.task.defined
        return (
            tree is not None
            and definitions.defines(tree, name)
            and not only_borrows(tree, name)
            and not misread(tree)
            and not definitions.is_stub(tree, name)
            and not only_nests(tree, name)
        )

    def _answers(self, tree: ast.Module | None) -> bool:
        """Return whether a program works and its function returns something, unlike prose."""
        if tree is None or not self._works(tree):
            return False
        body = definitions.needed(tree.body, [self.task.defined])
        gives = (ast.Return, ast.Yield, ast.YieldFrom, ast.Lambda)
        return any(isinstance(node, gives) for statement in body for node in ast.walk(statement))

    def _assemble(self, pieces: Sequence[str], steps: tuple[Step, ...]) -> Extraction | None:
        """Build a program from the piece that defines the entry point and from the parts that it
        lacks.
        """
        name = self.task.defined
        if not name:
            return self._choose(pieces, steps)
        if not any(name in piece or "class Solution" in piece for piece in pieces):
            return None
        trees = [(piece, tree) for piece in pieces if (tree := self.budget.tree(piece))]
        mains = [(piece, tree) for piece, tree in trees if self._works(tree)]
        if not mains:
            mains = [main for one in trees if (main := self._with_call(*one))]
            steps = (*steps, "made a function of a method")
        if not mains:
            return None
        complete = [(piece, tree) for piece, tree in mains if not self._missing(tree.body)]
        piece, tree = (complete or mains)[-1]
        lacking, front = self._missing(tree.body), ""
        for other, other_tree in trees:
            lent = definitions.needed(other_tree.body, lacking) if other_tree is not tree else []
            if lent and (lacking & all_bound(lent)):
                front += definitions.text_of(other, lent)
                lacking = (lacking | definitions.undefined(lent)) - all_bound(lent)
                steps = (*steps, "joined blocks")
        lent = definitions.needed(prompt_definitions(self.task), lacking)
        if lent:
            front = definitions.text_of(self.task.prompt, lent) + front
            steps = (*steps, "took definitions from the prompt")
        dropped = superfluous(tree, name)
        if dropped:
            piece = definitions.without(piece, tree, dropped)
            steps = (*steps, "dropped examples")
        works = self._works(self.budget.tree(front + piece)) if front or dropped else True
        return _extraction(front + piece, *steps) if works else None

    def _choose(self, pieces: Sequence[str], steps: tuple[Step, ...]) -> Extraction | None:
        """Choose the piece that is a whole program, including its examples and prints."""
        trees = [(piece, tree) for piece in pieces if (tree := self.budget.tree(piece))]
        selection = chosen([(piece, tree) for piece, tree in trees if not misread(tree)])
        if selection is None:
            return None
        source, is_joined = selection
        return _extraction(source, *steps, *(("joined blocks",) if is_joined else ()))

    def _with_call(self, piece: str, tree: ast.Module) -> tuple[str, ast.Module] | None:
        """Return a program with a function added that calls its method, or None without one."""
        call = method_call(tree, self.task.defined)
        if call is None or definitions.defines(tree, self.task.defined):
            return None
        whole = piece.rstrip() + call
        whole_tree = self.budget.tree(whole)
        return None if whole_tree is None or misread(whole_tree) else (whole, whole_tree)

    def _missing(self, statements: Sequence[ast.stmt]) -> frozenset[str]:
        return missing(statements, self.task.defined)


def without_thinking(text: str) -> str:
    """Return the text after a model's reasoning, if its end is marked."""
    ends = list(END_OF_THINKING.finditer(text))
    return text[ends[-1].end() :] if ends else text


def _variants(text: str) -> Iterator[_Variant]:
    """Yield the answer unchanged, then with more and more repairs of its characters."""
    variant = _Variant(text, ())
    yield variant
    mends: tuple[tuple[Step, Callable[[str], str]], ...] = (
        ("removed terminal escapes", without_escapes),
        ("removed model tokens", lambda text: MODEL_TOKENS.sub("", text)),
        ("replaced odd characters", plain),
    )
    for step, mend in mends:
        mended = mend(variant.text)
        if mended != variant.text:
            variant = replace(variant, text=mended, steps=(*variant.steps, step))
            yield variant
    if "\t" in variant.text:
        for width in (4, 8):
            mended = without_tabs(variant.text, width=width)
            yield replace(variant, text=mended, steps=(*variant.steps, "expanded tabs"))


def _indentations(text: str, entry_point: str) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """Yield a function's body unchanged, with its first line indented, and indented as a whole."""
    yield text, ()
    head = rf"^[ \t]*(?:async[ \t]+)?def[ \t]+{re.escape(entry_point)}\b"
    if re.search(head, text, re.MULTILINE):
        return  # a whole function: inside the prompt's it would only define another one
    stripped = text.lstrip("\n")
    if stripped[:1] not in " \t":
        yield "    " + stripped, ("mended the indentation",)
    yield textwrap.indent(textwrap.dedent(text), "    "), ("mended the indentation",)


def _extraction(source: str, *steps: Step) -> Extraction:
    return Extraction(source, tuple(step for step in STEPS if step in steps))
