"""Stub files (``.pyi``): what they declare of a package's functions, beside it or of their own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from packaging.utils import canonicalize_name

from evalplus_lite.exe.reading.index import PackageIndex
from evalplus_lite.exe.reading.resolve import External, Resolver, Target
from evalplus_lite.exe.sources.packages import PackageSource, SourceFile

_FOR_CHECKERS = ("_typeshed", "typing_extensions")
_OWN = "-stubs"
_TYPESHED = re.compile(r"(?:[^/]+/)?stubs/(?P<project>[^/]+)/(?P<inner>[^@]+\.pyi)")


class StubResolver(Resolver):
    """Resolves names in stubs, where modules that only type checkers have may stand."""

    def _module(self, dotted: str) -> Target:
        if dotted.partition(".")[0] in _FOR_CHECKERS:
            return External(dotted)
        return super()._module(dotted)


class Stubs:
    """The stubs of a package: files beside its modules, a package NAME-stubs, or typeshed."""

    def __init__(self, package: PackageSource, companions: Sequence[PackageSource] = ()) -> None:
        found: dict[str, tuple[PackageSource, SourceFile]] = {}
        for source in (package, *companions):
            of_typeshed = () if source is package else _of_typeshed(source, package.name)
            for inner, stored in (*source.data.items(), *of_typeshed):
                file = _stub_file(inner, stored, is_own=source is package)
                if file is not None and file.module.partition(".")[0] in _roots(package):
                    found.setdefault(file.module, (source, file))
        files = {module: file for module, (_, file) in found.items()}
        sources = {file.path: source for source, file in found.values()}
        merged = replace(
            package, files=files, data={}, _read=lambda stored: sources[stored].data_file(stored)
        )
        self.resolver = StubResolver(PackageIndex(merged))

    def declared(self, module: str, owner: str, name: str) -> list[ast.FunctionDef]:
        """Return what stubs declare of a function, or of a class's method, each overload."""
        parsed = self.resolver.index.module(module)
        if parsed is None:
            return []
        nodes = [each.node for each in parsed.bindings.get(owner or name, [])]
        if owner:
            nodes = [each for node in nodes if isinstance(node, ast.ClassDef) for each in node.body]
        return [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == name]


def _of_typeshed(source: PackageSource, name: str) -> Iterator[tuple[str, str]]:
    """Yield a distribution's stubs in a checkout of typeshed, under the names of a NAME-stubs."""
    for stored in source.members:
        found = _TYPESHED.fullmatch(stored)
        if found is not None and canonicalize_name(found["project"]) == name:
            first, slash, rest = found["inner"].partition("/")
            yield (f"{first}{_OWN}/{rest}" if slash else f"{first[:-4]}{_OWN}.pyi"), stored


def _stub_file(inner: str, stored: str, *, is_own: bool) -> SourceFile | None:
    if not inner.endswith(".pyi"):
        return None
    first, *rest = inner.removesuffix(".pyi").split("/")
    if not is_own:
        if not first.endswith(_OWN):
            return None
        first = first.removesuffix(_OWN)
    parts = [first, *rest]
    is_package = parts[-1] == "__init__"
    return SourceFile(stored, ".".join(parts[:-1] if is_package else parts), is_package, False)


def _roots(package: PackageSource) -> set[str]:
    return {name.partition(".")[0] for name in package.files}
