"""Publishing staged files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from table_runtime.connectors.file_commit import discard_staging, partition_folder, publish_staged_files, staging_path, visible_files


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _contents(folder: Path) -> dict[str, str]:
    return {path.as_posix(): (folder / path).read_text() for path in visible_files(folder)}


def test_staged_files_are_added_to_those_there(tmp_path: Path) -> None:
    _write(tmp_path / "old.csv", "1")
    staging = staging_path(tmp_path, "j")
    _write(staging / "new.csv", "2")
    publish_staged_files(staging, tmp_path)
    assert _contents(tmp_path) == {"old.csv": "1", "new.csv": "2"}
    assert not staging.exists()


def test_a_staging_folder_is_not_visible(tmp_path: Path) -> None:
    _write(staging_path(tmp_path, "j") / "new.csv", "2")
    assert _contents(tmp_path) == {}


def test_overwriting_replaces_everything_in_an_unpartitioned_table(tmp_path: Path) -> None:
    _write(tmp_path / "old.csv", "1")
    _write(staging_path(tmp_path, "j") / "new.csv", "2")
    publish_staged_files(staging_path(tmp_path, "j"), tmp_path, overwrite=True)
    assert _contents(tmp_path) == {"new.csv": "2"}


def test_overwriting_replaces_only_partitions_that_get_files(tmp_path: Path) -> None:
    _write(tmp_path / "d=1" / "old.csv", "1")
    _write(tmp_path / "d=2" / "old.csv", "1")
    _write(staging_path(tmp_path, "j") / "d=2" / "new.csv", "2")
    publish_staged_files(staging_path(tmp_path, "j"), tmp_path, overwrite=True, partition_keys=["d"])
    assert _contents(tmp_path) == {"d=1/old.csv": "1", "d=2/new.csv": "2"}


def test_overwriting_a_static_partition_with_nothing_empties_it(tmp_path: Path) -> None:
    _write(tmp_path / "d=1" / "old.csv", "1")
    _write(tmp_path / "d=2" / "old.csv", "1")
    staging = staging_path(tmp_path, "j")
    staging.mkdir()
    publish_staged_files(staging, tmp_path, overwrite=True, partition_keys=["d"], static_partition={"d": "1"})
    assert _contents(tmp_path) == {"d=2/old.csv": "1"}


def test_a_failing_move_leaves_the_target_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path / "old.csv", "1")
    staging = staging_path(tmp_path, "j")
    _write(staging / "a.csv", "2")
    _write(staging / "b.csv", "3")
    rename = Path.rename

    def failing(self: Path, target: str | os.PathLike[str]) -> Path:
        if self.name == "b.csv":
            raise OSError("disk full")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="disk full"):
        publish_staged_files(staging, tmp_path, overwrite=True)
    assert _contents(tmp_path) == {"old.csv": "1"}


def test_discarding_removes_a_target_that_the_job_made(tmp_path: Path) -> None:
    target = tmp_path / "t"
    _write(staging_path(target, "j") / "a.csv", "1")
    discard_staging(staging_path(target, "j"), created_target=True)
    assert not target.exists()


def test_partition_values_are_escaped_in_folder_names() -> None:
    assert partition_folder({"d": "a/b", "h": "1"}) == "d=a%2Fb/h=1"
