"""Archives of anyone's making are opened within bounds, or told in a line; the next one goes on."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import os
import resource
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands import run

from evalplus_lite.errors import InputError
from evalplus_lite.exe.sources import FREE_UNPACKED, MAX_MEMBERS, is_permissive, open_package

PROJECT = b'[project]\nname = "good"\nversion = "1.0"\nlicense = "MIT"\n'
CODE = b'def double(n: int) -> int:\n    """Twice."""\n    return 2 * n\n'


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """Return a member's header, which may say what it likes of its size."""
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.GNU_FORMAT)


def whole(name: str, content: bytes, kind: bytes = tarfile.REGTYPE) -> bytes:
    return header(name, len(content), kind) + content + b"\0" * (-len(content) % 512)


def packed(*blocks: bytes) -> bytes:
    return gzip.compress(b"".join(blocks) + b"\0" * 1024, 9)


def zeros(size: int) -> bytes:
    """Return gzip of so many zero bytes, a thousandth of their size."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb") as stream:
        for _ in range(size >> 20):
            stream.write(b"\0" * (1 << 20))
    return out.getvalue()


GOOD = whole("good-1.0/good/__init__.py", CODE) + whole("good-1.0/pyproject.toml", PROJECT)


def zip_of(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def lying_zip() -> bytes:
    """Return a zip file whose end says that its list of members has a gigabyte."""
    data = zip_of({"good-1.0/good/__init__.py": CODE})
    at = data.rindex(b"PK\x05\x06")
    return data[: at + 12] + struct.pack("<L", 1 << 30) + data[at + 16 :]


REFUSED: dict[str, Callable[[], tuple[str, bytes]]] = {
    "long name": lambda: (
        "a-1.0.tar.gz",
        gzip.compress(header("././@LongLink", 5 << 29, tarfile.GNUTYPE_LONGNAME))
        + zeros(64 << 20),
    ),
    "long header": lambda: (
        "a-1.0.tar.gz",
        gzip.compress(header("PaxHeader", 5 << 29, tarfile.XHDTYPE)) + zeros(64 << 20),
    ),
    "bomb": lambda: (
        "a-1.0.tar.gz",
        gzip.compress(GOOD + header("good-1.0/big", 4 * FREE_UNPACKED)) + zeros(4 * FREE_UNPACKED),
    ),
    "members": lambda: ("a-1.0.tar.gz", packed(header("a/b", 0) * (MAX_MEMBERS + 1))),
    "cut": lambda: ("a-1.0.tar.gz", packed(GOOD)[:60]),
    "no archive": lambda: ("a-1.0.tar.bz2", bz2.compress(os.urandom(5000))),
    "nonsense": lambda: ("a-1.0.whl", b"PK\x05\x06" + b"\xff" * 100),
    "lying zip": lambda: ("a-1.0.zip", lying_zip()),
    "many in a zip": lambda: (
        "a-1.0.zip", zip_of(dict.fromkeys(map(str, range(MAX_MEMBERS + 1)), b""))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_out_of_bounds_is_told_in_a_line(tmp_path: Path, name: str) -> None:
    """An archive that would cost without bound is an InputError that names it."""
    file, content = REFUSED[name]()
    path = tmp_path / file
    path.write_bytes(content)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InputError) as caught:
        open_package(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10  # KiB
    assert caught.value.path == path
    assert "\n" not in str(caught.value)


DEEP = b"[project]\nx = " + b"[" * 100_000 + b"]" * 100_000
DOTTED = b"[" + b".".join([b"a"] * 50_000) + b"]\n"
TOMLS = [
    DEEP,
    DOTTED,
    b"[project]\nname = " + b"9" * 100_000,
    b"\xff\xfe",
    PROJECT + b"#" * (5 << 20),
]


@pytest.mark.parametrize("number", range(len(TOMLS)))
def test_a_hostile_project_file_is_passed_over(tmp_path: Path, number: int) -> None:
    """The archive's own name says then what it is."""
    path = tmp_path / "good-1.0.tar.gz"
    content = whole("good-1.0/good/__init__.py", CODE)
    path.write_bytes(packed(content, whole("good-1.0/pyproject.toml", TOMLS[number])))
    with open_package(path) as package:
        assert (package.name, package.origin.version) == ("good", "1.0")
        assert package.text(package.files["good"]) == CODE.decode()


def test_members_of_odd_names_are_no_files(tmp_path: Path) -> None:
    """Links, ways out of the folder, names of controls and of thousands of letters are left out."""
    link = tarfile.TarInfo("good-1.0/good/link.py")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    names = ["/etc/x.py", "good-1.0/good/\x1b[31m.py", "good-1.0/" + "x" * 300 + ".py"]
    odd = [whole(name[:99], CODE) for name in names]
    path = tmp_path / "good-1.0.tar.gz"
    path.write_bytes(
        packed(GOOD, link.tobuf(), *odd, whole("good-1.0/good", b"a file and a folder"))
    )
    with open_package(path) as package:
        assert set(package.files) == {"good"}


def test_names_of_packages_are_plain(tmp_path: Path) -> None:
    """A name with escapes or line ends in it does not reach ids and messages."""
    project = '[project]\nname = "\\u001b]0;x\\u0007A\\nLicense: MIT"\nversion = "1\\n\\u202e2"\n'
    path = tmp_path / "x-1.tar.gz"
    path.write_bytes(packed(whole("x-1/x.py", CODE), whole("x-1/pyproject.toml", project.encode())))
    with open_package(path) as package:
        assert package.name.isprintable()
        assert package.origin.version.isascii()
        assert not is_permissive(package.origin.licence)


def test_many_folders_are_sorted_out_quickly(tmp_path: Path) -> None:
    """Modules find their folder by the folders they stand in, not by a search through all."""
    files = {f"p-1/{n}/m{n}/__init__.py": b"" for n in range(20_000)}
    (tmp_path / "p-1.zip").write_bytes(zip_of(files))
    with open_package(tmp_path / "p-1.zip") as package:
        assert len(package.files) == 20_000


def test_the_next_package_goes_on(tmp_path: Path) -> None:
    """One hostile archive is told, the others are mined, and the code is 1."""
    file, content = REFUSED["long name"]()
    (tmp_path / file).write_bytes(content)
    (tmp_path / "good-1.0.tar.gz").write_bytes(packed(GOOD))
    command = ["exe", "mine", "--static", file, "good-1.0.tar.gz", "-w", "1", "-o", "out/t.jsonl"]
    done = run(*command, folder=tmp_path)
    assert done.returncode == 1, done.stderr
    assert file in done.stderr
    assert "Traceback" not in done.stderr
    tasks = [json.loads(line) for line in (tmp_path / "out" / "t.jsonl").read_text().splitlines()]
    assert [task["entry_point"] for task in tasks] == ["double"]


@pytest.mark.parametrize("name", ["./none", "none-1.0.whl", "empty"])
def test_a_path_that_leads_to_nothing(tmp_path: Path, name: str) -> None:
    """A path without a package is an error before any work, not an empty result."""
    (tmp_path / "empty" / "within").mkdir(parents=True)
    done = run("exe", "mine", name, "-o", "out/t.jsonl", folder=tmp_path)
    assert done.returncode == 2
    assert name.removeprefix("./") in done.stderr
    assert not (tmp_path / "out").exists()
