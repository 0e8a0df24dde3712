"""The processors of the process: those of its affinity, or what the quota of its control groups leaves."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from table_common.configuration import available_processors

ALLOWED = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@pytest.mark.parametrize(
    ("groups", "limits", "expected"),
    [
        ("0::/\n", {"cpu.max": "50000 100000\n"}, 1),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),
        ("0::/a/b\n", {"a/cpu.max": "100000 100000\n", "a/b/cpu.max": "max 100000\n"}, 1),
        ("0::/\n", {"cpu.max": "max 100000\n"}, ALLOWED),
        ("3:cpu,cpuacct:/job\n", {"cpu/job/cpu.cfs_quota_us": "20000\n", "cpu/job/cpu.cfs_period_us": "100000\n"}, 1),
        ("3:cpu,cpuacct:/job\n", {"cpu/job/cpu.cfs_quota_us": "-1\n", "cpu/job/cpu.cfs_period_us": "100000\n"}, ALLOWED),
        ("0::/\n", {"cpu.max": "nonsense\n"}, ALLOWED),
        ("0::/\n", {}, ALLOWED),
    ],
)
def test_the_least_quota_counts_and_is_rounded_up(
    file_system: Callable[[str, dict[str, str]], str], groups: str, limits: dict[str, str], expected: int
) -> None:
    assert available_processors(file_system(groups, limits)) == min(expected, ALLOWED)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity of processes")
def test_only_processors_of_the_affinity_count() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert available_processors() == 1
    finally:
        os.sched_setaffinity(0, before)
