"""The system-call filter decides as its tables say, for every number and both architectures."""

from __future__ import annotations

import struct

import pytest

from evalplus_lite.sandbox import seccomp, syscalls

MACHINES = {"x86_64": 0, "aarch64": 1}


def decide(code: bytes, number: int, arguments: tuple[int, ...], arch: int) -> int:
    """Run a classic BPF program over a system call as the kernel would."""
    data = struct.pack("<IIQ6Q", number, arch, 0, *arguments)
    at, loaded = 0, 0
    while True:
        operation, if_true, if_false, operand = struct.unpack_from("<HBBI", code, 8 * at)
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


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("files", ["free", "attributes", "writes"])
def test_denied_calls(machine: str, files: seccomp.Files) -> None:
    """Exactly the listed calls are denied, whatever their arguments, and no other number is."""
    column = MACHINES[machine]
    code = seccomp.assemble(files, machine).code
    tables = dict(syscalls.DENIED)
    if files != "free":
        tables |= syscalls.ATTRIBUTES
    if files == "writes":
        tables |= syscalls.WRITES
    denied = {numbers[column] for numbers in tables.values()}
    looked_at = {
        numbers[column]
        for numbers in (
            *(syscalls.OPEN, syscalls.OPENAT, syscalls.OPENAT2, syscalls.CLONE, syscalls.CLONE3),
            *(syscalls.FCNTL, syscalls.IOCTL, syscalls.PRCTL, syscalls.PRLIMIT64),
            *(syscalls.SENDTO, syscalls.SOCKETPAIR, *syscalls.SIGNALS.values()),
        )
    }
    for number in range(700):
        if number in looked_at:
            continue
        for argument in (0, 1, 2**32 - 1):
            answer = decide(code, number, (argument,) * 6, seccomp.ARCHITECTURES[machine])
            assert (answer != seccomp.ALLOW) == (number in denied), number


@pytest.mark.parametrize("machine", MACHINES)
def test_arguments_decide(machine: str) -> None:
    """Threads but no processes, one's own limits, no destinations, no owners of signals."""
    column = MACHINES[machine]
    assert allows(machine, "free", syscalls.CLONE[column], 0x3D0F00)
    assert not allows(machine, "free", syscalls.CLONE[column], 17)
    assert not allows(machine, "free", syscalls.CLONE[column], 0x10000000 | 17)
    assert not allows(machine, "free", syscalls.CLONE3[column])
    assert allows(machine, "free", syscalls.PRLIMIT64[column], 0)
    assert not allows(machine, "free", syscalls.PRLIMIT64[column], 1)
    assert allows(machine, "free", syscalls.SOCKETPAIR[column], 1)
    assert not allows(machine, "free", syscalls.SOCKETPAIR[column], 2)
    assert allows(machine, "free", syscalls.SENDTO[column], 3, 0, 9, 0, 0, 0)
    for pointer in (1, 1 << 32, 0x7FFF00000000):
        assert not allows(machine, "free", syscalls.SENDTO[column], 3, 0, 9, 0, pointer, 16)
    for command in seccomp.FCNTL_DENIED.values():
        assert not allows(machine, "free", syscalls.FCNTL[column], 3, command)
    assert allows(machine, "free", syscalls.FCNTL[column], 3, 3)
    assert not allows(machine, "free", syscalls.IOCTL[column], 0, 0x5412)
    assert allows(machine, "free", syscalls.IOCTL[column], 0, 0x5401)
    assert not allows(machine, "free", syscalls.PRCTL[column], 1, 0)
    assert allows(machine, "free", syscalls.PRCTL[column], 15)
    assert allows(machine, "attributes", syscalls.OPENAT[column], 0, 0, 0o1101)
    for flags in (1, 2, 0o100, 0o1000, 0o2001):
        assert not allows(machine, "writes", syscalls.OPENAT[column], 0, 0, flags)
    assert allows(machine, "writes", syscalls.OPENAT[column], 0, 0, 0o2000000)


@pytest.mark.parametrize("machine", MACHINES)
def test_signals_to_oneself_only(machine: str) -> None:
    """With its own pid written in, a process may signal itself and nobody else."""
    column = MACHINES[machine]
    found = seccomp.assemble("free", machine)
    assert len(found.own_pid_offsets) == len(syscalls.SIGNALS)
    code = bytearray(found.code)
    for offset in found.own_pid_offsets:
        struct.pack_into("<I", code, offset, 4321)
    arch = seccomp.ARCHITECTURES[machine]
    for numbers in syscalls.SIGNALS.values():
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
