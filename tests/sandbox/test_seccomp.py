"""The system-call filter decides as its tables say, for every number and both architectures."""

from __future__ import annotations

import ctypes
import errno
import itertools
import platform
import struct
import tempfile
from functools import cache

import pytest

from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, SandboxConfig, Tier
from evalplus_lite.sandbox.isolation import command, seccomp
from evalplus_lite.sandbox.probe import examine as probe
from evalplus_lite.types import Returned
from evalplus_lite.values import wire

MACHINES = {"x86_64": 0, "aarch64": 1}
JUMP_ABOVE, AND = 0x25, 0x54  # instructions of libseccomp's filters only


@cache
def steps_of(code: bytes) -> list[tuple[int, int, int, int]]:
    return list(struct.iter_unpack("<HBBI", code))


def decide(code: bytes, number: int, arguments: tuple[int, ...], arch: int) -> int:
    """Run a classic BPF program over a system call as the kernel would."""
    data = struct.pack("<IIQ6Q", number, arch, 0, *arguments)
    at, loaded, steps = 0, 0, steps_of(code)
    while True:
        operation, if_true, if_false, operand = steps[at]
        at += 1
        if operation == seccomp.LOAD:
            (loaded,) = struct.unpack_from("<I", data, operand)
        elif operation == seccomp.JUMP:
            at += operand
        elif operation == seccomp.JUMP_EQUAL:
            at += if_true if loaded == operand else if_false
        elif operation == seccomp.JUMP_AT_LEAST:
            at += if_true if loaded >= operand else if_false
        elif operation == seccomp.JUMP_ANY_BIT:
            at += if_true if loaded & operand else if_false
        elif operation == JUMP_ABOVE:
            at += if_true if loaded > operand else if_false
        elif operation == AND:
            loaded &= operand
        else:
            assert operation == seccomp.RETURN
            return int(operand)


def allows(machine: str, files: seccomp.Files, number: int | None, *arguments: int) -> bool:
    """Whether the filter lets a call through."""
    assert number is not None
    code = seccomp.assemble(files, machine).code
    padded = (*arguments, *(0,) * (6 - len(arguments)))
    answer = decide(code, number, padded, seccomp.ARCHITECTURES[machine])
    return answer == seccomp.ALLOW


def looked_at(column: int, files: seccomp.Files) -> set[int | None]:
    """Return the calls whose arguments decide."""
    tables = [
        *(seccomp.CLONE, seccomp.FCNTL, seccomp.IOCTL, seccomp.PRCTL, seccomp.PRLIMIT64),
        *(seccomp.SENDTO, seccomp.SOCKETPAIR, *seccomp.SIGNALS.values()),
    ]
    if files == "writes":
        tables += [seccomp.OPEN, seccomp.OPENAT]
    return {numbers[column] for numbers in tables}


def allowed(column: int, files: seccomp.Files) -> set[int | None]:
    """Return the calls that are allowed whatever their arguments."""
    tables = dict(seccomp.ALLOWED)
    if files != "writes":
        tables |= seccomp.WRITES | {"open": seccomp.OPEN, "openat": seccomp.OPENAT}
    if files == "free":
        tables |= seccomp.ATTRIBUTES | seccomp.OWN_FILES
    return {numbers[column] for numbers in tables.values()}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("files", ["free", "attributes", "writes"])
def test_only_listed_calls_are_allowed(machine: str, files: seccomp.Files) -> None:
    """Exactly the listed calls are allowed, and what is newer than the list is as if unknown."""
    column = MACHINES[machine]
    code = seccomp.assemble(files, machine).code
    listed, others = allowed(column, files), looked_at(column, files)
    fallback = {seccomp.CLONE3[column], seccomp.OPENAT2[column]}
    for number in [*range(700), 10_000, (1 << 30) - 1]:
        if number in others:
            continue
        for argument in (0, 1, 2**32 - 1):
            answer = decide(code, number, (argument,) * 6, seccomp.ARCHITECTURES[machine])
            if number in listed:
                assert answer == seccomp.ALLOW, number
            else:
                new = number > seccomp.NEWEST or number in fallback
                error = errno.ENOSYS if new else errno.EPERM
                assert answer == seccomp.ERRNO | error, number


PROBES = {335, 336}
"""``uretprobe`` and ``uprobe`` of x86_64, which newer kernels never ask a filter about: they end a
process that calls them from anywhere but a probe."""
TRY_ALL = """
import ctypes, errno

def tried(numbers):
    libc = ctypes.CDLL(None, use_errno=True)
    found = []
    for number in numbers:
        ctypes.set_errno(0)
        if libc.syscall(number, -1, -1, -1, -1, -1, -1) != -1:
            found.append((number, "succeeds"))
        elif ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
            found.append((number, errno.errorcode[ctypes.get_errno()]))
    return found
"""


@pytest.mark.parametrize("tier", ["namespaces", "landlock", "none"])
def test_no_other_call_reaches_the_kernel(tier: Tier) -> None:
    """From inside, every call that is not allowed fails before the kernel looks at its arguments:
    the same junk without a filter gives other errors, or succeeds."""
    if tier != "none" and not probe(tier).holds:
        pytest.skip(f"{tier} does not hold here")
    config = SandboxConfig(tier=tier)
    column = MACHINES[platform.machine()]
    files = command.prepare(config, tier, (0, 0), 0).files
    known = allowed(column, files) | looked_at(column, files)
    numbers = [number for number in range(600) if number not in known | PROBES]
    assert len(numbers) > 300
    with Sandbox(config) as sandbox:
        run = sandbox.run(Program(TRY_ALL, "tried"), Inputs.of([(numbers,)]), Limits(cpu=20.0))
    (outcome,) = run.outcomes
    assert isinstance(outcome, Returned), outcome
    assert wire.decode(outcome.data) == []


@pytest.mark.parametrize("machine", MACHINES)
def test_arguments_decide(machine: str) -> None:
    """Threads but no processes, one's own limits, no destinations, no owners of signals."""
    column = MACHINES[machine]
    assert allows(machine, "free", seccomp.CLONE[column], 0x3D0F00)
    assert not allows(machine, "free", seccomp.CLONE[column], 17)
    assert not allows(machine, "free", seccomp.CLONE[column], 0x10000000 | 17)
    assert not allows(machine, "free", seccomp.CLONE3[column])
    assert allows(machine, "free", seccomp.PRLIMIT64[column], 0)
    assert not allows(machine, "free", seccomp.PRLIMIT64[column], 1)
    assert allows(machine, "free", seccomp.SOCKETPAIR[column], 1)
    assert not allows(machine, "free", seccomp.SOCKETPAIR[column], 2)
    assert allows(machine, "free", seccomp.SENDTO[column], 3, 0, 9, 0, 0, 0)
    for pointer in (1, 1 << 32, 0x7FFF00000000):
        assert not allows(machine, "free", seccomp.SENDTO[column], 3, 0, 9, 0, pointer, 16)
    for request in (8, 10, 15, 1024, 1026, 1031, 1033):  # owners, signals, leases, sizes, seals
        assert not allows(machine, "free", seccomp.FCNTL[column], 3, request)
    assert allows(machine, "free", seccomp.FCNTL[column], 3, 3)
    assert allows(machine, "free", seccomp.FCNTL[column], 3, 6)
    assert not allows(machine, "attributes", seccomp.FCNTL[column], 3, 6)
    assert not allows(machine, "free", seccomp.IOCTL[column], 0, 0x5412)
    assert allows(machine, "free", seccomp.IOCTL[column], 0, 0x5401)
    for option in (1, 4, 22, 35, 36, 38, 62, 0x59616D61):
        assert not allows(machine, "free", seccomp.PRCTL[column], option, 0)
    assert allows(machine, "free", seccomp.PRCTL[column], 15)
    assert allows(machine, "attributes", seccomp.OPENAT[column], 0, 0, 0o1101)
    for flags in (1, 2, 0o100, 0o1000, 0o2001):
        assert not allows(machine, "writes", seccomp.OPENAT[column], 0, 0, flags)
    assert allows(machine, "writes", seccomp.OPENAT[column], 0, 0, 0o2000000)


@pytest.mark.parametrize("machine", MACHINES)
def test_signals_to_oneself_only(machine: str) -> None:
    """With its own pid written in, a process may signal itself and nobody else."""
    column = MACHINES[machine]
    found = seccomp.assemble("free", machine)
    assert len(found.own_pid_offsets) == len(seccomp.SIGNALS)
    code = bytearray(found.code)
    for offset in found.own_pid_offsets:
        struct.pack_into("<I", code, offset, 4321)
    arch = seccomp.ARCHITECTURES[machine]
    for numbers in seccomp.SIGNALS.values():
        number = numbers[column]
        assert number is not None
        for target, allowed in ((4321, True), (1, False), (0, False), (2**64 - 1, False)):
            answer = decide(bytes(code), number, (target, 9, 0, 0, 0, 0), arch)
            assert (answer == seccomp.ALLOW) is allowed


def test_other_architectures_end_the_process() -> None:
    """A call made in another architecture's numbering is not even looked up; x32 is denied."""
    code = seccomp.assemble("free", "x86_64").code
    assert decide(code, 1, (0,) * 6, 0x40000003) == seccomp.KILL_PROCESS
    assert not allows("x86_64", "free", (1 << 30) + 1)


@pytest.fixture(scope="module")
def libseccomp() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        pytest.skip("needs libseccomp")
    library.seccomp_init.restype = ctypes.c_void_p
    return library


@pytest.mark.parametrize("machine", MACHINES)
def test_every_number_is_libseccomp_s(libseccomp: ctypes.CDLL, machine: str) -> None:
    """Another project's table, where it is installed, has the same numbers for the same names."""
    arch, column = ctypes.c_uint32(seccomp.ARCHITECTURES[machine]), MACHINES[machine]
    tables = (seccomp.ALLOWED, seccomp.ATTRIBUTES, seccomp.OWN_FILES, seccomp.WRITES)
    unknown = set()
    for table in (*tables, seccomp.SIGNALS):
        for name, numbers in table.items():
            found = libseccomp.seccomp_syscall_resolve_name_arch(arch, name.encode())
            if found == -1:  # libseccomp does not know the name at all
                unknown.add(name)
            else:
                assert (found if found >= 0 else None) == numbers[column], name
    newer = {name for table in tables for name, (number, _) in table.items() if (number or 0) > 440}
    assert unknown <= newer


class Comparison(ctypes.Structure):
    """libseccomp's ``struct scmp_arg_cmp``."""

    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operation", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


EQUAL, MASKED_EQUAL = 4, 7


def test_the_filter_decides_as_libseccomp_s(libseccomp: ctypes.CDLL) -> None:
    """The rules, given to libseccomp, make a filter that lets the same calls through here."""
    machine = platform.machine()
    column, arch = MACHINES[machine], seccomp.ARCHITECTURES[machine]
    context = ctypes.c_void_p(libseccomp.seccomp_init(seccomp.ERRNO | errno.EPERM))

    def allow(numbers: seccomp.Numbers, *comparisons: tuple[int, int, int, int]) -> None:
        if numbers[column] is None:
            return
        for each in comparisons or (None,):
            array = (Comparison * 1)(Comparison(*each)) if each else None
            result = libseccomp.seccomp_rule_add_exact_array(
                context, ctypes.c_uint32(seccomp.ALLOW), numbers[column], int(bool(each)), array
            )
            assert result == 0, (numbers, each)

    opened = {"open": seccomp.OPEN, "openat": seccomp.OPENAT}
    tables = (seccomp.ALLOWED, seccomp.ATTRIBUTES, seccomp.OWN_FILES, seccomp.WRITES, opened)
    for table in tables:
        for numbers in table.values():
            allow(numbers)
    thread = seccomp.CLONE_THREAD
    commands = (*seccomp.FCNTL_ALLOWED.values(), *seccomp.FCNTL_LOCKS.values())
    allow(seccomp.CLONE, (0, MASKED_EQUAL, thread, thread))
    allow(seccomp.PRLIMIT64, (0, EQUAL, 0, 0))
    allow(seccomp.SOCKETPAIR, (0, EQUAL, seccomp.AF_UNIX, 0))
    allow(seccomp.SENDTO, (4, EQUAL, 0, 0))
    allow(seccomp.FCNTL, *((1, EQUAL, command, 0) for command in commands))
    allow(seccomp.IOCTL, *((1, EQUAL, command, 0) for command in seccomp.IOCTL_ALLOWED.values()))
    allow(seccomp.PRCTL, *((0, EQUAL, option, 0) for option in seccomp.PRCTL_ALLOWED.values()))
    for numbers in seccomp.SIGNALS.values():
        allow(numbers, (0, EQUAL, 0, 0))  # the pid that a filter has before it is filled in
    with tempfile.TemporaryFile() as file:
        assert libseccomp.seccomp_export_bpf(context, file.fileno()) == 0
        file.seek(0)
        theirs = file.read()
    ours = seccomp.assemble("free", machine).code
    values = {0, 1, 2, 9, 1 << 40, thread, thread | 17, *commands}
    values |= {*seccomp.IOCTL_ALLOWED.values(), *seccomp.PRCTL_ALLOWED.values()}
    for number in range(600):
        for position, value in itertools.product((0, 1, 4), values):
            if value >> 32 and position != 4:
                continue  # of these arguments the kernel, and our filter, takes the low half
            arguments = tuple(value if place == position else 0 for place in range(6))
            mine, other = (decide(code, number, arguments, arch) for code in (ours, theirs))
            allowed = seccomp.ALLOW
            assert (mine == allowed) == (other == allowed), (number, arguments)
