"""A file system with the files of control groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest


@pytest.fixture
def file_system(tmp_path: Path) -> Callable[[str, Mapping[str, str]], str]:
    """Makes files: the text of ``/proc/self/cgroup``, and those below ``/sys/fs/cgroup`` by path; returns the root."""

    def make(groups: str, limits: Mapping[str, str]) -> str:
        (tmp_path / "proc/self").mkdir(parents=True)
        (tmp_path / "proc/self/cgroup").write_text(groups)
        for path, text in limits.items():
            file = tmp_path / "sys/fs/cgroup" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return str(tmp_path)

    return make
