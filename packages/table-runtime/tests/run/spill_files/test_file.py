"""Spill files."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.run.spill_files.file import SpillFile, SpillUsage

BATCH = pa.record_batch(
    {
        "n": pa.array([1, None, 3], pa.int64()),
        "s": pa.array(["a", None, "b" * 1000]),
        "d": pa.array(["x", "y", "x"]).dictionary_encode(),
        "l": pa.array([[1], [], None], pa.list_(pa.int32())),
        "o": pa.nulls(3),
    }
)
PLAIN = pa.schema([field.with_type(pa.string()) if field.name == "d" else field for field in BATCH.schema])


def spill_file(folder: Path, *, compress: bool = True) -> SpillFile:
    return SpillFile(str(folder), "Sort", SpillUsage(), compress=compress)


@pytest.mark.parametrize("compress", [True, False])
def test_rows_are_read_as_they_were_written(tmp_path: Path, compress: bool) -> None:
    with spill_file(tmp_path, compress=compress) as file:
        rows = file.write([BATCH, BATCH.slice(1, 1), BATCH.slice(0, 0), BATCH.slice(2)], PLAIN)
        assert rows.rows == 5
        expected = [*BATCH.to_pylist(), BATCH.to_pylist()[1], BATCH.to_pylist()[2]]
        assert [row for batch in rows.read() for row in batch.to_pylist()] == expected


def test_rows_are_smaller_if_they_are_compressed(tmp_path: Path) -> None:
    with spill_file(tmp_path) as small, spill_file(tmp_path, compress=False) as large:
        assert small.append(BATCH).length < large.append(BATCH).length


def test_the_file_has_no_name_and_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    with spill_file(folder) as file:
        file.append(BATCH.slice(0, 1))
        assert list(folder.iterdir()) == []
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
    assert file.is_closed


def test_bytes_are_counted(tmp_path: Path) -> None:
    usage = SpillUsage()
    with SpillFile(str(tmp_path), "Sort", usage, compress=False) as file:
        stored = file.append(BATCH)
        assert dict(usage.values()) == {"spilledBytes": stored.length}
        assert os.fstat(file.fileno()).st_size == stored.length


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda descriptor, data, offset: write(descriptor, data[:100], offset))
    with spill_file(tmp_path, compress=False) as file:
        assert file.read(file.append(BATCH), PLAIN).to_pylist() == BATCH.to_pylist()


def test_a_full_disk_is_an_error_with_operator_folder_and_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with spill_file(tmp_path) as file:
        monkeypatch.setattr(os, "pwrite", full)
        expected = (
            rf"Sort needs more memory .* '{tmp_path}': No space left on device; .*(.|\n)*table\.exec\.spill\.dir.*table\.exec\.memory"
        )
        with pytest.raises(TableRuntimeException, match=expected):
            file.append(BATCH)


def test_a_folder_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TableRuntimeException, match=r"cannot create a file in '.*file'(.|\n)*table\.exec\.spill\.dir"):
        spill_file(tmp_path / "file")


def test_a_file_that_was_cut_is_an_error(tmp_path: Path) -> None:
    with spill_file(tmp_path) as file:
        stored = file.append(BATCH)
        os.ftruncate(file.fileno(), stored.length - 1)
        with pytest.raises(TableRuntimeException, match=r"cannot read rows in .*the file is shorter"):
            file.read(stored, PLAIN)
