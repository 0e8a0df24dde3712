"""Tests for table_runtime.streaming.state.freed_memory."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from table_runtime.streaming.state import freed_memory
from table_runtime.streaming.state.freed_memory import FreedMemory

PROGRAM = """
import resource
import sys
import numpy as np
from table_runtime.streaming.state.freed_memory import keep_freed_memory

def batch():
    for array in [np.empty(1 << 16) for _ in range(20)]:
        array[:] = 1.0

if sys.argv[1] == "keep":
    keep_freed_memory()
batch()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(50):
    batch()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(choice: str) -> int:
    """Returns how many pages fifty batches of ten megabytes get from the system."""
    return int(subprocess.run([sys.executable, "-c", PROGRAM, choice], capture_output=True, text=True, check=True).stdout)


def test_memory_of_a_batch_is_used_again_by_the_next_one() -> None:
    kept = faults("keep")
    if platform.libc_ver()[0] == "glibc":
        assert kept < 5_000 < faults("return")  # a batch has 2,560 pages


RETURNS = """
from pathlib import Path
import numpy as np
from table_runtime.streaming.state import freed_memory

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1])

freed_memory.keep_freed_memory()
freed_memory._SECONDS = 0.0
memory = freed_memory.FreedMemory(shares_heaps=True)
arrays = [np.ones(1 << 16) for _ in range(100)]  # 50 MB
last = np.ones(10)
del arrays[1::2], arrays[::2]
before = resident()
assert memory.look()
print(before - resident())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators return memory themselves")
def test_free_memory_is_returned() -> None:
    pages = int(subprocess.run([sys.executable, "-c", RETURNS], capture_output=True, text=True, check=True).stdout)
    assert pages > 5_000


HEAPS = """
import ctypes
import re
import tempfile
import threading
import numpy as np
from table_runtime.streaming.state import freed_memory

freed_memory.FreedMemory(shares_heaps=True)
meeting = threading.Barrier(8)

def allocate():
    kept = [np.ones(100) for _ in range(100)]
    meeting.wait()

threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as file:
    stream = ctypes.c_void_p(libc.fopen(file.name.encode(), b"w"))
    libc.malloc_info(0, stream)
    libc.fclose(stream)
    print(len(re.findall("<heap nr", file.read().decode())))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators have other heaps")
def test_threads_share_heaps_unless_the_user_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    def heaps() -> int:
        return int(subprocess.run([sys.executable, "-c", HEAPS], capture_output=True, text=True, check=True).stdout)

    monkeypatch.delenv("MALLOC_ARENA_MAX", raising=False)
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    assert heaps() <= 3  # numpy may have made one before
    monkeypatch.setenv("MALLOC_ARENA_MAX", "6")
    assert heaps() >= 5


def test_memory_is_returned_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def trim(pad: int) -> int:
        calls.append(pad)
        return 1

    now = 0.0
    monkeypatch.setattr(freed_memory, "_trim", lambda: trim)
    monkeypatch.setattr("time.monotonic", lambda: now)
    memory = FreedMemory(shares_heaps=True)
    assert not memory.look()
    now = 11.0
    assert memory.look()
    assert not memory.look()
    assert calls == [0]
