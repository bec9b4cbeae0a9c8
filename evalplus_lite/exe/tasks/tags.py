"""Marks of tasks that a reader may want to leave out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from evalplus_lite.errors import InputError

HASH = "hash"
"""Part of the program is a checksum or a cryptographic hash: nobody foresees it by reading."""
SECURITY = "security"
"""The function reads or writes what attacks are made of: paths, addresses, markup, headers, tokens,
escapes (the paper's section 5: who foresees its errors could find its faults)."""
LOOPS = "long-loops"
"""A case goes through loops very often: each step has to be followed (section 5)."""
TAGS = (HASH, SECURITY, LOOPS)
MANY = 100
"""Times that a case's loops begin anew, from which they are long."""
_SUBJECTS = frozenset(
    "path paths url urls uri uris query host hosts hostname domain origin redirect cookie cookies "
    "header headers token tokens auth authority credential credentials password secret signature "
    "csrf cors mime html xml xss sql shell argv command escape escapes unescape quote unquote "
    "sanitize sanitise encode decode serialize deserialize parse parser parsing tokenize ip "
    "address email certificate cipher secure safe unsafe traversal filename".split()
)
_MODULES = frozenset({"hashlib", "hmac", "crypt"})
_FUNCTIONS = frozenset(
    {("zlib", "crc32"), ("zlib", "adler32"), ("binascii", "crc32"), ("binascii", "crc_hqx"),
     ("uuid", "uuid3"), ("uuid", "uuid5")}
)  # fmt: skip


def tags_of(code: str, *, name: str = "", iterations: Iterable[int] = ()) -> list[str]:
    """Return the marks of a program that parses, sorted.

    ``name`` is the function's, with its module before it; ``iterations`` are its cases' loops.
    """
    found = []
    if any(map(_is_hash, ast.walk(ast.parse(code)))):
        found.append(HASH)
    if any(count >= MANY for count in iterations):
        found.append(LOOPS)
    if _SUBJECTS.intersection(_words(name)):
        found.append(SECURITY)
    return found


def _words(name: str) -> list[str]:
    """Return the words of a name: ``toy.parseURL_of`` has toy, parse, url and of."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return [part.lower() for part in parts]


def check_tags(tags: Iterable[str]) -> None:
    """Raise InputError for a mark that there is not."""
    for tag in tags:
        if tag not in TAGS:
            raise InputError(f"{tag!r} is no tag", remedy=f"give one of {', '.join(TAGS)}")


def _is_hash(node: ast.AST) -> bool:
    match node:
        case ast.Import():
            return any(each.name in _MODULES for each in node.names)
        case ast.ImportFrom(module=str(module)):
            names = {(module, each.name) for each in node.names}
            return module in _MODULES or not names.isdisjoint(_FUNCTIONS)
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return (module, name) in _FUNCTIONS
    return False
