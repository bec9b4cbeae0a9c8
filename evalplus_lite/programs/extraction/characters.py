"""Characters that editors and chat interfaces put in place of plain ones, outside texts."""

from __future__ import annotations

import re

SPACES = frozenset(map(chr, [0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000]))
INVISIBLE = frozenset(map(chr, [0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF]))
LINE_ENDS = frozenset("\u0085\u2028\u2029")
DASHES = frozenset("\u2010\u2011\u2012\u2013\u2212")
SINGLE = frozenset("\u2018\u2019\u201a\u201b\u2032\u00b4")
DOUBLE = frozenset("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb")
ODD = SPACES | INVISIBLE | LINE_ENDS | DASHES | SINGLE | DOUBLE

# Marks of turns and ends that some models leave in their text.
MODEL_TOKENS = re.compile(
    r"<[|\uff5c][^<>|\uff5c\n]{1,40}[|\uff5c]>|</?s>|<eos>|<eot>"
    r"|(?<!\w)\[/?(?:INST|PYTHON|ANSWER)\]|^[ \t]*\[/?[A-Z][A-Z_ ]{1,30}\][ \t]*\r?$",
    re.MULTILINE,
)
# Markers of some models between their deliberation and their answer.
END_OF_THINKING = re.compile(r"</(?:think|thinking|thought|reasoning)>")

_PLAIN_TEXT = re.compile(
    r"""\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
    r"""|\#[^\n]*""",
    re.DOTALL,
)
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)\??(?P<count>\d{0,4})[0-9;]{0,20}(?P<final>[@-~])"
    r"|\x1b\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)?|\x1b[()][A-Z0-9]|\x1b[=>78cDEHM]|\x1b|[\b]"
)
_INDENTATION = re.compile(r"^ *\t[ \t]*", re.MULTILINE)


def without_escapes(text: str) -> str:
    """Return a text as a terminal shows it: without colors, with erased and rewritten parts
    resolved.

    Programs that run models in a terminal wrap lines by moving back, erasing and writing again.
    """
    if "\x1b" not in text and "\x9b" not in text and "\b" not in text:
        return text
    return "\n".join(map(_shown, text.split("\n")))


def _shown(line: str) -> str:
    if _ESCAPE.search(line) is None:
        return line
    cells: list[str] = []
    column = at = 0
    for escape in _ESCAPE.finditer(line):
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

    Spaces and line ends of any kind become plain, invisible characters go, dashes become minus
    signs, and curly quotes become straight ones; text between two of these stays.
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
        if character == "\\":  # the next character opens nothing
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
    """Return the text with the tabs that lines begin with as spaces, up to multiples of ``width``.

    Tabs further on may be within strings, where they mean something.
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
    """Return a text within curly quotes as a plain one, and where it ends.

    Three quotes in a row open a text of several lines. Without a closing quote, only the opening
    one is replaced; ``unclosed`` notes up to where none closes, so that the search is not repeated.
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
