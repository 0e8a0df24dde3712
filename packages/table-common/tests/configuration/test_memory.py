"""The memory of the process: the machine's, or what the control groups of version 1 and 2 leave of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from table_common.configuration import Configuration, available_memory, memory_budget

MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@pytest.mark.parametrize(
    ("groups", "limits", "expected"),
    [
        ("0::/\n", {"memory.max": "1048576\n"}, 1 << 20),
        ("0::/a/b\n", {"a/memory.max": "2097152\n", "a/b/memory.max": "max\n"}, 2 << 20),
        ("0::/not/in/the/container\n", {"memory.max": "1048576\n"}, 1 << 20),
        ("0::/../outside\n", {"memory.max": "1048576\n"}, 1 << 20),
        ("4:memory:/job\n1:cpu:/job\n", {"memory/job/memory.limit_in_bytes": "3145728\n", "cpu/job/memory.limit_in_bytes": "1\n"}, 3 << 20),
        ("5:memory:/job\n", {"memory/memory.limit_in_bytes": "4194304\n"}, 4 << 20),
        ("5:memory:/\n", {"memory/memory.limit_in_bytes": "9223372036854771712\n"}, MACHINE),
        ("0::/\n", {"memory.max": "max\n"}, MACHINE),
        ("0::/\n", {}, MACHINE),
    ],
)
def test_the_least_limit_counts(
    file_system: Callable[[str, dict[str, str]], str], groups: str, limits: dict[str, str], expected: int
) -> None:
    assert available_memory(file_system(groups, limits)) == expected


def test_a_system_without_control_groups_has_the_memory_of_the_machine(tmp_path: Path) -> None:
    assert available_memory(str(tmp_path)) == MACHINE


def test_the_budget_is_the_sessions_or_three_quarters() -> None:
    assert memory_budget(Configuration({"table.exec.memory": "2 gb"})) == 2 << 30
    assert memory_budget(Configuration()) == memory_budget() == int(available_memory() * 0.75)
