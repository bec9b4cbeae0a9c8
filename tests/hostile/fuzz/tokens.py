"""What hostile texts are made of: tokens, quotes, blocks and statements, right and wrong."""

from __future__ import annotations

HONEST = "def add(a, b):\n    return a + b\n"
NAMES = "a b x y add add_ self value i n _ __name__ é ℘ 变量 print math sum lambda_ İ ﬁ".split()
ATOMS = [*NAMES, "0", "1", "-1", "1.5", "1e9", "0x1f", "1j", "''", '"s"', "b'x'", "f'{a}'"]
ATOMS += ["None", "...", "[]", "()", "{}", "{1}", "a.b", "a[0]", "add(1, 2)", "'''t'''", "..."]
WORDS = "Here is the function which adds two numbers and returns their sum : . , ! -".split()
OPENERS = [
    "(", "[", "{", "((", "[(", "{0:", "add(", "a[", "f(a, ", "(a,", "lambda:", "lambda x=0: ",
    "not ", "-", "~", "+", "- -", "await ", "yield ", "(yield ", "*", "**", "a if b else ",
    "a and ", "a or ", "a + ", "a ** ", "a < ", "a := ", "(a := ", "a, ", "[a for a in ", "{a: ",
    "(a for a in ", "{*a, *", "f'{", 'f"{', "f'{a:{", "print(", "x = ", "x: ", "del ", "return ",
    "'", '"', "'''", '"""', "\\", "#", "`", "```", "‘", "“", "«", "<|", "<think>", "@", ";", ":",
    "if a: ", "while a: ", "class A: ", "a.b", "a()", "a[0]", ".a", "()", "[0]", "1_", "0x", "\\u",
    "\\\n", "\t", " ", "\f", "\r", "\u2028", "\u00a0", "\u200b", "\ufeff", "é", "🙂", "\ud7ff", "e",
    "1", "9", "_", "$", "?", "!", "\x1b[31m", "\x1b]0;", "\x08", "\u202e", "[PYTHON]", ">>> ", "+",
    "| ", "* ", "1. ", "&lt;", "\\n", "\\x", "\\N{", "%s", "{}", "{{", "}}", "r'", "b'", "rb'",
    "u'",
]  # fmt: skip
BEFORE = [
    HONEST, HONEST, HONEST, "add\n", "def add(a, b):\n    return n0\n", "Sure!\n", "Here it is:\n",
    "```\n", "```python\n", "a\n", "import math\n", "x = 1\n", "    ", "<think>\n", "@d\n",
]  # fmt: skip
AFTER = [
    "",
    HONEST,
    "add\n",
    "```\n",
    f"```python\n{HONEST}```\n",
    "That is it.\n",
    "    x",
    "n0\n",
]
CLOSERS = {"(": ")", "[": "]", "{": "}", "'": "'", '"': '"', "`": "`", "‘": "’", "“": "”"}
QUOTES = [
    ("'", "'"), ('"', '"'), ("'''", "'''"), ('"""', '"""'), ("‘", "’"), ("“", "”"), ("‘‘‘", "’’’"),
    ("«", "»"), ("´", "´"), ("`", "`"), ("f'", "'"), ("f'''", "'''"), ("rb'", "'"), ("#", "\n"),
    ("```", "```"), ("$", "$"), ("<|", "|>"), ("<think>", "</think>"), ("[", "]"), ("{", "}"),
    ("(", ")"), ("f'{a:", "}'"), ("[PYTHON]", "[/PYTHON]"), ("&quot;", "&lt;"), ("\x1b[", "m"),
]  # fmt: skip
SEPARATORS = ["", "", "", " ", "\n", ";", "; ", ",", ", ", " + ", "\n\n", "\t", ".", "\\\n", "\r\n"]
BLOCKS = [
    ("if a:", "else:"), ("if a:", "elif b:"), ("if a:", None), ("while a:", "else:"),
    ("for x in a:", "else:"), ("for x in a:", None), ("try:", "finally:"), ("try:", "finally:"),
    ("try:", "except:"), ("try:", "except* E:"), ("try:", "except E as e:"),
    ("with a as b:", None), ("with a, b, c:", None), ("def f(a):", None), ("async def f():", None),
    ("class A:", None), ("match a:", "case 1:"), ("match a:", "case [a, *b]:"),
    ("@d", "def f(): pass"), ("def add(a, b):", None), ("async with a:", None),
    ("async for x in a:", "else:"),
]  # fmt: skip
HEADS = [head for pair in BLOCKS for head in pair if head]
PREFIXES = [
    "lambda:", "lambda x=0: ", "lambda *a, **b: ", "not ", "-", "~", "+", "await ", "*",
    "a if b else ", "a and ", "a or ", "a + ", "a ** ", "a < ", "a, ", "yield ", "a = ", "a: ",
    "return ", "del ", "@", "a if ", "a[", "a(", "[", "(", "{", "{0: ", "{a: ", "[*", "f(*",
    "f(a=", "[a for a in ", "(a := ", "{a for a in ", "(a for a in ", "[a for b in c if ", "f'{",
    'f"{', "a[:", "a.b(", "(yield ",
]  # fmt: skip
SUFFIXES = [
    ".a", "()", "[0]", "(a)", "(a=1)", "[a:b]", " + a", " * 1", " and a", " or a", " < a",
    " if a else b", ", a", "; a", "\na", " = a", " in a", " is not a", " ** a", ".a()", "[0].b",
    " for a in b", "'s'", " 'x' ", " f'{a}'", ";", ".real", " @ a", " -a", "\n", ", ", ", b=1",
    ", *c", " as b, c", "; b = a",
]  # fmt: skip
STATEMENTS = [
    "{n} = 1", "{n}", "{n}, {m} = {m}, {n}", "def {n}(): return {m}()", "def {n}(): return {k}()",
    "class {n}({m}): pass", "{n} = {m}", "{n} = {k}", "import {n}", "from {n} import *",
    "add = {n}", "from {n} import {m} as {k}", "{n}.append({m})", "{n}[{m}] = {k}", "del {n}",
    "global {n}", "pass", "def add(a, b): return {n}(a, b)", "@{n}\ndef {m}(): pass",
    "{n} = lambda: {m}", "print({n})", "'{n}'", "if {n}: {m} = 1", "assert add(1, {n}) == 3",
    "{n}: {m} = 0", "# {n}", "for {n} in {m}: {k}", "{n};", "return {n}", "{n} is {m}",
    "type {n} = {m}", "{n} += {m}", "with {n} as {m}: {k}", "add({n}, 1)", "while {n}: break",
    "raise {n}", "def add(a, b): {n}", "{n} = [{m} for {m} in {k}]", "\\", "if {n}:",
    "[{d}, 1]", "add({d}, 1)", "- ({d}, 1)", "add({d}, 1) == {d}", "{{'a': {d}, 'b': 1}}",
    "x = {d}",
]  # fmt: skip
LEAVES = ["pass", "return a", "x", "continue", "break", "yield", "global x", "nonlocal x", "#"]
LEAVES += ["if a: return a", "return a + b", "raise", "import os", "from solution import add"]
LEAVES += ["a = b = a", "x" * 79, "'''"]
