"""Hostile packages: wheels and source archives with their metadata, by seed and of any size."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from random import Random

from . import texts
from .documents import Document, value


def toml(random: Random) -> Document:
    """A pyproject.toml."""
    inner = value(random)
    text = texts.shape(random)
    kind = random.randrange(6)
    opener = random.choice(["[", "{a=", "[[", "{a.b=[", "[{a=["])
    closer = "".join({"[": "]", "{": "}"}[c] for c in reversed(opener) if c in "[{")
    name = random.choice(["name", "version", "license", "dependencies", "classifiers", "x"])

    def draw(size: int) -> bytes:
        head = b"[project]\n"
        match kind:
            case 0:
                count = size // len(opener + closer)
                return head + f"{name} = {opener * count}{closer * count}\n".encode()
            case 1:
                return head + f"a{'.a' * (size // 2)} = 1\n".encode()
            case 2:
                return head + f"{name} = {'9' * size}\n".encode()
            case 3:
                return b"".join(b"[a%d.b]\nc=1\n" % n for n in range(size // 12 + 1))
            case 4:
                return head + name.encode() + b" = " + inner(size)
            case _:
                return head + f'{name} = """{text(size)}"""\n'.encode("utf-8", "surrogatepass")

    return draw


def metadata(random: Random) -> Document:
    """A package's METADATA."""
    text = texts.shape(random)
    field = random.choice(["Name", "Version", "License", "Classifier", "Requires-Dist", "X", ""])
    many = random.random() < 0.3
    named = random.random() < 0.7

    def draw(size: int) -> bytes:
        head = "Metadata-Version: 2.1\nName: toy\nVersion: 1\n" if named else ""
        if many:
            return (head + f"{field}: a\n" * (size // (len(field) + 4) + 1)).encode()
        return f"{head}{field}: {text(size)}\n".encode("utf-8", "surrogatepass")

    return draw


def archive(random: Random) -> Document:
    """A wheel, a zip or a tar; the first line names the ending of its file."""
    ending = random.choice([".whl", ".whl", ".zip", ".tar.gz", ".tar.gz", ".tar.bz2", ".tar.xz"])
    kind = random.choice(["facts", "facts", "names", "many", "bomb", "source", "licence", "links"])
    facts = metadata(random) if ending == ".whl" else random.choice([metadata, toml])(random)
    text, seed = texts.shape(random), random.random()
    damage = random.choice([0, 0, 0, 1, 2])
    depth = random.choice([1, 10, 1000])

    def files(size: int) -> dict[str, bytes]:
        top = "" if ending == ".whl" else "toy-1/"
        fact = "toy-1.dist-info/METADATA" if ending == ".whl" else f"{top}{fact_name}"
        plain = b"Metadata-Version: 2.1\nName: toy\nVersion: 1\nLicense: MIT\n"
        found = {fact: facts(size) if kind == "facts" else plain}
        found[f"{top}toy/__init__.py"] = b""
        odd = text(size if kind in ("source", "licence") else 50)
        match kind:
            case "names":
                parts = [odd.replace("/", "_") or "x"] * max(1, size // (51 * depth))
                found[f"{top}toy/{'/'.join(parts)}.py"] = b"x = 1\n"
                found[f"{top}../../{odd[:20]}.py"] = b"x = 1\n"
                found[f"/tmp/{odd[:20]}.py"] = b"x = 1\n"
            case "many":
                for n in range(max(1, size // 100)):
                    found[f"{top}toy/m{n}.py"] = b"x = 1\n"
            case "bomb":
                for n in range(min(depth, 10)):
                    found[f"{top}toy/m{n}.py"] = b"\0" * (size * 20)
            case "source":
                found[f"{top}toy/m.py"] = odd.encode("utf-8", "surrogatepass")
            case "licence":
                found[f"{top}LICENSE"] = odd.encode("utf-8", "surrogatepass")
                found["toy-1.dist-info/LICENSE"] = found[f"{top}LICENSE"]
        return found

    fact_name = "pyproject.toml" if facts(10).startswith(b"[") else "PKG-INFO"

    def draw(size: int) -> bytes:
        data = _packed(ending, files(size), links=kind == "links", size=size)
        changes = Random(seed)
        for _ in range(10 if damage == 2 else 0):
            at = changes.randrange(len(data))
            data = data[:at] + bytes([changes.randrange(256)]) + data[at + 1 :]
        if damage == 1:
            data = data[: changes.randrange(len(data))]
        return ending.encode() + b"\n" + data

    return draw


def _packed(ending: str, files: dict[str, bytes], *, links: bool, size: int) -> bytes:
    stream = io.BytesIO()
    if ending in (".whl", ".zip"):
        with zipfile.ZipFile(stream, "w") as archive:
            for name, data in files.items():
                short = zipfile.ZipInfo(name.encode("utf-8", "replace").decode()[:15_000])
                archive.writestr(short, data, zipfile.ZIP_DEFLATED, compresslevel=1)
        return stream.getvalue()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name.encode("utf-8", "replace").decode())
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for number in range(max(1, size // 600) if links else 0):
            info = tarfile.TarInfo(f"toy-1/toy/l{number}.py")
            info.type = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE)[number % 3]
            info.linkname = (f"toy-1/toy/l{number + 1}.py", "/etc/passwd", "..")[number % 3]
            tar.addfile(info)
    if ending == ".tar.gz":
        return gzip.compress(stream.getvalue(), 1)
    return (bz2 if ending == ".tar.bz2" else lzma).compress(stream.getvalue())
