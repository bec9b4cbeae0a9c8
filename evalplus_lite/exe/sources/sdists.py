"""Source archives of packages on the index, for what wheels leave out: the tests.

pip would run an archive's build code to hand it over. It says where the archive is, though, when it
passes it over for a wheel: it knows the index, and how to ask it, by its own settings.
"""

from __future__ import annotations

import http.client
import os
import re
import ssl
import subprocess
import sys
import time
import urllib.request
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.utils import InvalidSdistFilename, canonicalize_name, parse_sdist_filename
from packaging.version import InvalidVersion, Version

from evalplus_lite.errors import InputError
from evalplus_lite.exe.sources.packages import DOWNLOAD_SECONDS

LARGEST = 100 << 20
"""Bytes of an archive that is fetched."""
_PASSED_OVER = re.compile(r"^\s*Skipping link: No sources permitted for \S+: (\S+)", re.MULTILINE)
_REMEDY = "download its source archive yourself and give the file with --with"


def source_archive(name: str, version: str, folder: Path) -> Path:
    """Return the source archive of a version of a package on the index, fetched into ``folder``.

    Nothing of it is run. Raises InputError where there is none, or none that can be fetched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    address = _address(name, version, folder)
    path = folder / _file_name(address)
    try:
        trusted = ssl.create_default_context(cafile=os.environ.get("PIP_CERT"))
        with urllib.request.urlopen(address, timeout=DOWNLOAD_SECONDS, context=trusted) as answer:
            data = _read(answer)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise InputError(
            f"the source archive of {name} cannot be fetched: {error}", remedy=_REMEDY
        ) from None
    if len(data) > LARGEST:
        raise InputError(f"the source archive of {name} has more than {LARGEST >> 20} MiB")
    path.write_bytes(data)
    return path


def _read(answer: Any) -> bytes:
    """Return what a server sends, up to a byte more than is wanted; ValueError if it is cut off."""
    deadline = time.monotonic() + DOWNLOAD_SECONDS
    data = bytearray()
    while len(data) <= LARGEST and (part := answer.read1(1 << 16)):
        data += part
        if time.monotonic() > deadline:
            raise ValueError(f"it took more than {DOWNLOAD_SECONDS:g} s")
    wanted = str(answer.headers.get("Content-Length", ""))
    if wanted.isdigit() and len(data) < min(int(wanted), LARGEST):
        raise ValueError(f"{len(data)} of {wanted} bytes came")
    return bytes(data)


def _address(name: str, version: str, folder: Path) -> str:
    """Return where pip says that a source archive is."""
    command = [sys.executable, "-m", "pip", "download", "-vv", "--no-deps", "--no-color"]
    command += ["--disable-pip-version-check", "--only-binary", ":all:", "--dest", str(folder)]
    try:
        done = subprocess.run(
            [*command, f"{name}=={version}"],
            capture_output=True,
            text=True,
            timeout=DOWNLOAD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"asking for {name} took more than {DOWNLOAD_SECONDS:g} s") from None
    for address in _PASSED_OVER.findall(done.stdout):
        try:
            found = parse_sdist_filename(_file_name(address))
            if found == (canonicalize_name(name), Version(version)):
                return str(address)
        except (InvalidSdistFilename, InvalidVersion):
            continue
    raise InputError(f"pip knows no source archive of {name} {version}", remedy=_REMEDY)


def _file_name(address: str) -> str:
    return PurePosixPath(unquote(urlsplit(address).path)).name
