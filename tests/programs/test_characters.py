"""Odd characters become plain ones where they stand for code, and stay where they are text."""

from __future__ import annotations

import ast

import pytest

from evalplus_lite.programs.extraction.extraction import MODEL_TOKENS, plain, without_tabs


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x\u00a0=\u20031", "x = 1"),
        ("\ufeffx\u200b = 1\u2028y = 2", "x = 1\ny = 2"),
        ("x = a \u2212 b \u2013 1", "x = a - b - 1"),
        ("x = \u201ca\u201d + \u2018b\u2019", "x = \"a\" + 'b'"),
        ('x = \u201cit\u2019s "so"\u201d', 'x = "it\u2019s \\"so\\""'),
        ("\u201c\u201c\u201ca\nb\u201d\u201d\u201d", '"""a\nb"""'),
        ("x = \u201cno end", 'x = "no end'),
        ("x = \u201cno\nend\u201d", 'x = "no\nend"'),
        (r"x = “a\”b”", r'x = "a\”b"'),
    ],
)
def test_odd_characters_in_code(text: str, wanted: str) -> None:
    """Spaces, line ends, dashes and quotes of chat interfaces become those of code."""
    assert plain(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "x = '\u201ca\u00a0b\u201d'",
        'x = "\u2212\u2019"  # don\u2019t \u2014 \u00a0',
        '"""It\u2019s\n\u201cso\u201d\u00a0\u2013"""\nx = 1',
        "x = 'a\\'\u2019'",
        "x = 'é' + \"日本\"",
        "# \u201cunclosed\nx = 1",
        "",
    ],
)
def test_texts_and_comments_keep_theirs(text: str) -> None:
    """What stands in a text or a comment is what its writer meant."""
    assert plain(text) == text


@pytest.mark.parametrize(
    "text", ["\u201c" * 30_000, "'" * 29_999 + "\u2019", '"""' * 9_999 + "\u00a0"]
)
def test_long_oddities_take_no_long_time(text: str) -> None:
    """Text without sense comes back, whatever its length."""
    assert len(plain(text)) <= 2 * len(text)


def test_tabs_at_the_beginning_of_lines_only() -> None:
    """Indentation becomes spaces; a tab within a line may stand in a text."""
    source = "def f():\n\tif 1:\n        \treturn 'a\tb'\n"
    assert without_tabs(source, width=8) == (
        "def f():\n        if 1:\n                return 'a\tb'\n"
    )
    ast.parse(without_tabs(source, width=8))


def test_marks_that_models_leave() -> None:
    """Turn and end marks of common models go; comparisons and types stay."""
    text = "<|im_start|>x</s><\uff5cend\uff5c><|endoftext|>[/INST] a<b|c>d List[INST]"
    assert MODEL_TOKENS.sub("", text) == "x a<b|c>d List[INST]"
