"""Marks of tasks that a reader may want to leave out."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from evalplus_lite.errors import InputError

HASH = "hash"
"""Part of the program is a checksum or a cryptographic hash: nobody foresees it by reading."""
TAGS = (HASH,)
_MODULES = frozenset({"hashlib", "hmac", "crypt"})
_FUNCTIONS = frozenset(
    {("zlib", "crc32"), ("zlib", "adler32"), ("binascii", "crc32"), ("binascii", "crc_hqx"),
     ("uuid", "uuid3"), ("uuid", "uuid5")}
)  # fmt: skip


def tags_of(code: str) -> list[str]:
    """Return the marks of a program that parses, sorted."""
    return [HASH] if any(map(_is_hash, ast.walk(ast.parse(code)))) else []


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
