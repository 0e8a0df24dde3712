"""Locks and pins on the folder of a table."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.files import StagedWrite, locks
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
        StagedWrite(tmp_path, "job").begin()


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
