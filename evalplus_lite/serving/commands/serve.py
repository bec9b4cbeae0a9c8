"""``serve``: judge programs for others, over HTTP."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import cast

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.escaping import printable
from evalplus_lite.errors import InputError
from evalplus_lite.sandbox import Tier

TOKEN = "EVALPLUS_LITE_TOKEN"


def serve(
    dataset: list[str] | None = typer.Option(
        None, "--dataset", "-d", metavar="NAME|PATH", help="Load a data set's tasks; repeatable."
    ),
    host: str = typer.Option(
        "127.0.0.1", "--host", help="Address to listen on; default: this machine only."
    ),
    port: int = typer.Option(
        8080, "--port", min=0, max=65535, help="Port to listen on; 0: any free one."
    ),
    token_file: Path | None = typer.Option(
        None,
        "--token-file",
        metavar="PATH",
        help=f"Lines of token or client:token; or set {TOKEN}.",
    ),
    store: Path | None = typer.Option(
        None, "--store", metavar="DIR", help="Folder of known verdicts, which are reused."
    ),
    workers: options.Workers = None,
    backend: options.Backend = "processes",
    sandbox: options.Sandbox = "auto",
    package: options.Packages = None,
    limits: options.Limits = "default",
    memory: options.Memory = 1024,
    weak_tests: bool = typer.Option(
        False, "--weak-tests", help="Count unit tests that guessing could pass."
    ),
    most_waiting: int = typer.Option(
        8192, "--queue", min=1, help="Maximum number of queued programs; more get HTTP 429."
    ),
    most_programs: int = typer.Option(
        1024, "--batch", min=1, help="Maximum number of programs in a request."
    ),
    most_body: int = typer.Option(
        16, "--max-body", metavar="MIB", min=1, help="Maximum size of a request."
    ),
    most_connections: int = typer.Option(
        4096, "--connections", min=1, help="Maximum number of connections; more get HTTP 503."
    ),
    drain: float = typer.Option(
        60.0, "--drain", metavar="SECONDS", min=0.0, help="Time to finish after SIGTERM."
    ),
) -> int:
    """Judge programs for trainers and harnesses, over HTTP.

    Speaks its own protocol (/v1/verify, described by /openapi.json) and those of SandboxFusion,
    open-instruct and NeMo-Gym, so a trainer for these needs only another URL.
    """
    try:
        from evalplus_lite.serving.server.server import serve as run
        from evalplus_lite.serving.server.service import ServerSettings, Service, read_tokens
    except ModuleNotFoundError as error:
        raise InputError(
            f"serve needs {error.name}", remedy='pip install "evalplus-lite[serve]"'
        ) from None
    tokens = () if token_file is None else read_tokens(token_file)
    if not tokens and os.environ.get(TOKEN):
        tokens = ((os.environ[TOKEN], "client"),)
    settings = ServerSettings(
        datasets=tuple(dataset or ()),
        host=host,
        port=port,
        tokens=tokens,
        workers=workers,
        backend=backend,
        sandbox=cast("Tier", sandbox),
        packages=tuple(package or ()),
        limits=limits,
        memory=memory << 20,
        weak_tests=weak_tests,
        store=store,
        most_body=most_body << 20,
        most_waiting=most_waiting,
        most_programs=most_programs,
        most_connections=most_connections,
        drain_seconds=drain,
    )

    def ready(url: str, service: Service) -> None:
        for name, each in service.datasets.items():
            for bad in each.unusable:
                print(printable(f"{name}: {bad.task_id}: {bad.detail}"), file=sys.stderr)
        names = ", ".join(service.datasets) or "tasks that come with requests"
        print(
            f"serving {names} at {url} ({service.tier}, {service.backend.workers} workers); "
            f"see {url}/openapi.json",
            flush=True,
        )

    run(settings, on_ready=ready)
    return 0
