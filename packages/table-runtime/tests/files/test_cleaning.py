"""What is left of changes: finished, undone, or kept as long as a reader needs it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_runtime.files import cleaning
from table_runtime.files.cleaning import clean, drop, roll_back, try_clean, write_journal, write_note
from table_runtime.files.journals import CHANGES, DATA, JOURNAL, MARKER, PREPARED, changes_of, stagings
from table_runtime.files.locks import LISTING, READING, PinnedFolder, own, write_lock


@pytest.fixture
def table(tmp_path: Path) -> Path:
    table = tmp_path / "t"
    table.mkdir()
    (table / "old").write_text("old")
    return table


def staging_of(
    table: Path, job: str, journal: str | None = None, *, add: tuple[str, ...] = (), remove: tuple[str, ...] = (), number: int = 1
) -> Path:
    staging = table / CHANGES / job
    (staging / DATA / "0").mkdir(parents=True)
    (staging / MARKER).touch()
    (staging / DATA / "0" / "new").write_text("new")
    if journal is not None:
        write_journal(staging, journal, {"number": number, "add": list(add), "remove": list(remove)})
    return staging


def names(table: Path) -> list[str]:
    return sorted(str(path.relative_to(table)) for path in table.rglob("*") if path.is_file())


def test_a_committed_change_is_finished(table: Path) -> None:
    (table / "new").write_text("new")
    staging_of(table, "a", JOURNAL, add=("new",), remove=("old", "gone/already", "old/x"))
    clean(table)
    assert names(table) == ["new"]
    assert not (table / CHANGES).exists()
    clean(table)


def test_what_a_dead_job_has_not_prepared_is_removed(table: Path) -> None:
    staging_of(table, "a")
    clean(table)
    assert sorted(path.name for path in table.iterdir()) == ["old"]


def test_what_a_dead_job_has_prepared_and_moved_is_removed(table: Path) -> None:
    (table / "new").write_text("new")
    staging_of(table, "a", PREPARED, add=("new", "not-moved-yet"), remove=("old",))
    clean(table)
    assert sorted(path.name for path in table.iterdir()) == ["old"]


def test_a_change_of_a_job_that_runs_is_left_alone(table: Path) -> None:
    staging = staging_of(table, "a", PREPARED, add=("new",), remove=("old",))
    descriptor = own(staging)
    try:
        clean(table)
        assert (staging / PREPARED).exists()
        assert (table / "old").exists()
    finally:
        os.close(descriptor)
    clean(table)
    assert stagings(table) == []


@pytest.fixture
def reader(table: Path) -> Iterator[PinnedFolder]:
    reader = PinnedFolder(table)
    yield reader
    reader.close()


@pytest.mark.parametrize("kind", [LISTING, READING])
def test_files_that_a_reader_has_pinned_stay_until_it_has_ended(table: Path, reader: PinnedFolder, kind: int) -> None:
    reader.pin(kind, 1)
    staging_of(table, "a", JOURNAL, remove=("old",), number=2)
    clean(table)
    assert (table / "old").exists()
    assert [change.is_committed for change in changes_of(table)] == [True]
    reader.close()
    clean(table)
    assert sorted(path.name for path in table.iterdir()) == []


def test_a_change_that_only_adds_is_finished_though_a_reader_reads(table: Path, reader: PinnedFolder) -> None:
    reader.pin(READING, 1)
    staging_of(table, "a", JOURNAL, add=("new",), number=2)
    clean(table)
    assert stagings(table) == []


def test_a_foreign_folder_stays_unless_it_is_empty(table: Path) -> None:
    (table / CHANGES / "empty").mkdir(parents=True)
    (table / CHANGES / "foreign").mkdir()
    (table / CHANGES / "foreign" / "file").touch()
    clean(table)
    assert [path.name for path in stagings(table)] == ["foreign"]


def test_a_change_that_cannot_be_undone_does_not_hinder_the_others(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    staging_of(table, "a")
    staging_of(table, "b")
    original = cleaning.drop

    def failing(staging: Path) -> None:
        if staging.name == "a":
            raise PermissionError("not allowed")
        original(staging)

    monkeypatch.setattr(cleaning, "drop", failing)
    clean(table)
    assert [path.name for path in stagings(table)] == ["a"]


def test_nothing_is_done_while_somebody_else_changes_the_table(table: Path) -> None:
    staging_of(table, "a", JOURNAL, remove=("old",))
    with write_lock(table):
        try_clean(table)
        assert (table / "old").exists()
    try_clean(table)
    assert not (table / "old").exists()


def test_a_rolled_back_change_removes_what_it_has_added(table: Path) -> None:
    staging = staging_of(table, "a", PREPARED, add=("x", "new"), remove=("old",), number=7)
    (change,) = changes_of(table)
    roll_back(change)
    assert sorted(os.listdir(staging)) == [JOURNAL, DATA, MARKER]
    assert json.loads((staging / JOURNAL).read_text()) == {"number": 7, "add": ["new", "x"], "remove": ["new", "x"]}
    roll_back(change)  # once more, after it was interrupted


def test_a_dropped_folder_keeps_its_marker_to_the_end(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    staging = staging_of(table, "a", JOURNAL)
    removed: list[str] = []
    original = Path.unlink

    def recorded(path: Path, missing_ok: bool = False) -> None:
        removed.append(path.name)
        original(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", recorded)
    drop(staging)
    assert removed == [JOURNAL, MARKER]
    assert not staging.exists()


def test_a_journal_is_there_as_a_whole_or_not_at_all(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    staging = staging_of(table, "a", PREPARED, number=1)

    def full(descriptor: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="the disk is full"):
        write_journal(staging, PREPARED, {"number": 2, "add": [], "remove": []})
    assert [change.number for change in changes_of(table)] == [1]


def test_a_note_is_not_replaced_by_an_older_one(tmp_path: Path) -> None:
    for epoch, expected in ((3, 3), (2, 3), (4, 4)):
        write_note(tmp_path, (".table-epochs/job/committed.json", {"epoch": epoch}))
        assert json.loads((tmp_path / ".table-epochs" / "job" / "committed.json").read_text()) == {"epoch": expected}


def test_a_damaged_note_stays(tmp_path: Path) -> None:
    (tmp_path / "note.json").write_text("{")
    write_note(tmp_path, ("note.json", {"epoch": 3}))
    assert (tmp_path / "note.json").read_text() == "{"


def test_a_name_that_no_file_can_have_hinders_no_cleaning(tmp_path: Path) -> None:
    staging = tmp_path / CHANGES / "dead"
    (staging / DATA).mkdir(parents=True)
    (staging / MARKER).touch()
    (tmp_path / "a.csv").touch()
    write_journal(staging, JOURNAL, {"number": 1, "add": [], "remove": ["d=" + "x" * 300 + "/b.csv", "a.csv"]})
    clean(tmp_path)
    assert list(tmp_path.iterdir()) == []
