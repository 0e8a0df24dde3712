"""Private files have the mode 0600 from the start."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_common.secrets import make_private, open_private


@pytest.fixture(autouse=True)
def _permissive_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_created_file_is_private_while_it_is_written(tmp_path: Path) -> None:
    with open_private(tmp_path / "f"):
        assert _mode(tmp_path / "f") == 0o600


def test_file_is_never_opened_if_it_exists(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    with pytest.raises(FileExistsError):
        open_private(tmp_path / "f")


def test_existing_file_is_tightened(tmp_path: Path) -> None:
    (tmp_path / "f").touch(0o666)
    make_private(tmp_path / "f")
    assert _mode(tmp_path / "f") == 0o600


def test_missing_file_is_made_private(tmp_path: Path) -> None:
    make_private(tmp_path / "f", create=True)
    assert _mode(tmp_path / "f") == 0o600
