"""Tests for table_runtime.changelog.freed_memory."""

from __future__ import annotations

import platform
import subprocess
import sys

PROGRAM = """
import resource
import sys
import numpy as np
from table_runtime.changelog.freed_memory import keep_freed_memory

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
