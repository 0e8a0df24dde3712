"""Kills forks before a system call that changes a file, so that every state which other processes could see can be tested.

Linux only, with ptrace: ``is_traceable`` tells whether it works here. A traced action marks the relevant part with ``marked``.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

__all__ = ["forked", "import_what", "is_traceable", "marked", "traced"]

_X86 = {1: "write", 2: "open", 18: "pwrite64", 20: "writev", 74: "fsync", 75: "fdatasync", 76: "truncate", 77: "ftruncate", 82: "rename"}
_X86 |= {83: "mkdir", 84: "rmdir", 86: "link", 87: "unlink", 257: "openat", 258: "mkdirat", 263: "unlinkat", 264: "renameat"}
_X86 |= {265: "linkat", 285: "fallocate", 316: "renameat2"}
_ARM = {34: "mkdirat", 35: "unlinkat", 37: "linkat", 38: "renameat", 45: "truncate", 46: "ftruncate", 47: "fallocate", 56: "openat"}
_ARM |= {64: "write", 66: "writev", 68: "pwrite64", 82: "fsync", 83: "fdatasync", 276: "renameat2"}
CHANGING = {"x86_64": _X86, "aarch64": _ARM}.get(platform.machine(), {})
"""The system calls that change files, by number."""
FLAGS = {"open": 1, "openat": 2}
"""The position of the flags argument of calls that may create a file."""

TRACEME, CONT, SYSCALL, SETOPTIONS, SYSCALL_INFO = 0, 7, 24, 0x4200, 0x420E
EXITKILL_AND_SYSGOOD = 0x100001
SYSCALL_STOP = signal.SIGTRAP | 0x80


class _SyscallInfo(ctypes.Structure):
    """``struct ptrace_syscall_info`` at the entry of a call."""

    _fields_ = (
        ("op", ctypes.c_uint8),
        ("pad", ctypes.c_uint8 * 3),
        ("arch", ctypes.c_uint32),
        ("instruction", ctypes.c_uint64),
        ("stack", ctypes.c_uint64),
        ("number", ctypes.c_uint64),
        ("arguments", ctypes.c_uint64 * 6),
    )


def _ptrace(request: int, pid: int, address: int = 0, data: object = None) -> int:
    call = ctypes.CDLL(None, use_errno=True).ptrace
    call.restype, call.argtypes = ctypes.c_long, (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    return int(call(request, pid, address, data))


def _run(action: Callable[[], None]) -> int:
    """Forks, runs the action in the child, which exits with 0 or 1, and returns the child's process id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        action()
        code = 0
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    finally:
        sys.stderr.flush()
        os._exit(code)


def forked(action: Callable[[], None]) -> int:
    """Runs an action in a fork and returns its exit code, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(_run(action), 0)[1])


def import_what(action: Callable[[], None], folder: Path) -> None:
    """Runs an action in a fork and imports the modules that it imported, so that later forks need not import them."""
    found = folder / "modules"

    def run() -> None:
        action()
        found.write_text("\n".join(sys.modules))

    assert forked(run) == 0, "the action failed; see above"
    for name in found.read_text().splitlines():
        with suppress(ImportError):
            import_module(name)


def marked(part: Callable[[], None]) -> None:
    """Runs the part of a traced action whose system calls are counted."""
    os.kill(os.getpid(), signal.SIGSTOP)
    part()
    os.kill(os.getpid(), signal.SIGSTOP)


def traced(action: Callable[[], None], number: int | None) -> tuple[int, list[str]]:
    """Runs an action in a fork that is killed before the marked system call with this number, from 1; None: runs it to its end.

    Returns:
        The exit code, negative for a signal, and the names of the marked calls that would change files.
    """

    def begin() -> None:
        if _ptrace(TRACEME, 0):  # not allowed here: the parent would not see the stop
            os._exit(2)
        os.kill(os.getpid(), signal.SIGSTOP)
        action()

    child = _run(begin)
    calls: list[str] = []
    is_marked, is_first = False, True
    while True:
        status = os.waitpid(child, 0)[1]
        if not os.WIFSTOPPED(status):
            return os.waitstatus_to_exitcode(status), calls
        passed_on = 0
        stopped_by = os.WSTOPSIG(status)
        if stopped_by == signal.SIGSTOP:
            if is_first:
                _ptrace(SETOPTIONS, child, 0, EXITKILL_AND_SYSGOOD)
            else:
                is_marked = not is_marked
            is_first = False
        elif stopped_by == SYSCALL_STOP:
            name = _changing(child)
            if name is not None:
                calls.append(name)
                if len(calls) == number:
                    os.kill(child, signal.SIGKILL)
                    continue
        else:
            passed_on = stopped_by
        _ptrace(SYSCALL if is_marked else CONT, child, 0, passed_on)


def _changing(child: int) -> str | None:
    """Returns the name of the next system call of a stopped process if it changes files."""
    info = _SyscallInfo()
    _ptrace(SYSCALL_INFO, child, ctypes.sizeof(info), ctypes.addressof(info))
    name = CHANGING.get(info.number) if info.op == 1 else None
    if name in FLAGS and not info.arguments[FLAGS[name]] & os.O_CREAT:
        return None
    return name


def is_traceable() -> bool:
    """Returns whether forks can be traced here; tries it with a fork that writes nothing."""
    if not sys.platform.startswith("linux") or not CHANGING:
        return False

    def action() -> None:
        marked(lambda: os.ftruncate(os.memfd_create("tried"), 0))

    try:
        return traced(action, None) == (0, ["ftruncate"])
    except OSError:
        return False
