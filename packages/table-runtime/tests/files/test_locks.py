"""Locks and pins on the folder of a table."""

from __future__ import annotations

import os
import sys
import types
from pathlib import Path

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.files import LocalChange, locks
from table_runtime.files.locks import LISTING, READING, PinnedFolder, is_owned, own, try_write_lock, write_lock


@pytest.fixture
def reader(tmp_path: Path) -> PinnedFolder:
    return PinnedFolder(tmp_path)


@pytest.fixture
def writer(tmp_path: Path) -> PinnedFolder:
    return PinnedFolder(tmp_path)


def test_a_pin_is_seen_by_others_with_a_higher_number(reader: PinnedFolder, writer: PinnedFolder) -> None:
    reader.pin(READING, 3)
    assert writer.is_pinned(READING, 4)
    assert not writer.is_pinned(READING, 3)


def test_kinds_of_pins_are_apart(reader: PinnedFolder, writer: PinnedFolder) -> None:
    reader.pin(LISTING, 3)
    assert not writer.is_pinned(READING, 4)


@pytest.mark.parametrize("kind", [LISTING, READING])
def test_the_highest_pin_is_that_of_all_readers_and_kinds(tmp_path: Path, reader: PinnedFolder, writer: PinnedFolder, kind: int) -> None:
    other = PinnedFolder(tmp_path)
    reader.pin(LISTING, 0)
    reader.pin(READING, 2)
    other.pin(kind, 7)
    assert writer.highest_pin() == 7


def test_nothing_is_pinned_below_the_first_number(reader: PinnedFolder, writer: PinnedFolder) -> None:
    reader.pin(LISTING, 0)
    assert not writer.is_pinned(LISTING, 0)


@pytest.mark.parametrize("end", ["unpin", "close"])
def test_a_pin_that_is_taken_away_is_gone(reader: PinnedFolder, writer: PinnedFolder, end: str) -> None:
    reader.pin(READING, 3)
    if end == "unpin":
        reader.unpin(READING, 3)
    else:
        reader.close()
    assert writer.highest_pin() == 0


def test_one_writer_at_a_time_holds_the_lock(tmp_path: Path) -> None:
    with write_lock(tmp_path), try_write_lock(tmp_path) as is_held:
        assert not is_held
    with try_write_lock(tmp_path) as is_held:
        assert is_held


def test_pins_do_not_hinder_writers(tmp_path: Path, reader: PinnedFolder) -> None:
    reader.pin(READING, 0)
    with try_write_lock(tmp_path) as is_held:
        assert is_held


def test_a_lock_that_is_held_for_too_long_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_WAIT_SECONDS", 0.0)
    with write_lock(tmp_path), pytest.raises(TableRuntimeException, match="Another process has held the write lock"):
        LocalChange(tmp_path, "job").begin()


def test_a_folder_is_owned_until_its_owner_closes_it(tmp_path: Path) -> None:
    owned = own(tmp_path)
    assert is_owned(tmp_path)
    os.close(owned)
    assert not is_owned(tmp_path)


def test_a_folder_that_was_made_anew_while_its_lock_was_taken_is_not_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "t"
    table.mkdir()
    lock, replaced = locks._try_lock, list[bool]()

    def late(descriptor: int) -> bool | None:
        if not replaced:
            replaced.append(True)
            table.rename(tmp_path / "old")
            table.mkdir()
        return lock(descriptor)

    monkeypatch.setattr(locks, "_try_lock", late)
    with try_write_lock(table) as is_held:
        assert not is_held


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without ``fcntl`` that opens no folders; ``filelock`` locks descriptors of files there."""
    native, library = locks.fcntl, types.ModuleType("filelock")

    def lock_descriptor(descriptor: int, *, blocking: bool) -> bool:
        assert not blocking
        try:
            native.flock(descriptor, native.LOCK_EX | native.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    library.lock_descriptor = lock_descriptor  # type: ignore[attr-defined]  # as in the library
    monkeypatch.setitem(sys.modules, "filelock", library)
    monkeypatch.setattr(locks, "fcntl", None)
    monkeypatch.setattr(locks, "_OPENS_FOLDERS", False)


@pytest.mark.usefixtures("windows")
def test_a_hidden_file_is_locked_where_folders_cannot_be_opened(tmp_path: Path) -> None:
    with write_lock(tmp_path), try_write_lock(tmp_path) as is_held:
        assert not is_held
    with try_write_lock(tmp_path) as is_held:
        assert is_held
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


@pytest.mark.usefixtures("windows")
def test_a_staging_folder_has_one_owner_where_folders_cannot_be_opened(tmp_path: Path) -> None:
    owner = own(tmp_path)
    assert is_owned(tmp_path)
    os.close(owner)
    assert not is_owned(tmp_path)


@pytest.mark.usefixtures("windows")
def test_pins_are_not_set_where_folders_cannot_be_opened(tmp_path: Path) -> None:
    reader, writer = PinnedFolder(tmp_path), PinnedFolder(tmp_path)
    reader.pin(READING, 3)
    assert (writer.is_pinned(READING, 4), writer.highest_pin()) == (False, 0)
    reader.close()
    with pytest.raises(FileNotFoundError):
        PinnedFolder(tmp_path / "missing")


@pytest.mark.usefixtures("windows")
def test_a_table_is_written_where_folders_cannot_be_opened(tmp_path: Path) -> None:
    for name in ("one.csv", "two.csv"):
        write = LocalChange(tmp_path / "t", name)
        write.begin()
        write.path_of(name).write_text("1")
        write.commit()
    assert sorted(path.name for path in (tmp_path / "t").glob("[!._]*")) == ["one.csv", "two.csv"]


def test_a_system_without_locks_writes_without_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "fcntl", None)
    monkeypatch.setitem(sys.modules, "filelock", None)
    with write_lock(tmp_path), try_write_lock(tmp_path) as is_held:
        assert is_held
