"""What a table's folder says of changes that are under way, and its files and folders at a level."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.files import journals
from table_runtime.files.journals import CHANGES, JOURNAL, MARKER, PREPARED, Change, changes_of, folders_at, settled_changes, stagings, walk


@pytest.fixture
def table(tmp_path: Path) -> Path:
    table = tmp_path / "t"
    table.mkdir()
    return table


def staging_of(table: Path, job: str, *, marked: bool = True, **files: Any) -> Path:
    """Makes the staging folder of a job with these journals."""
    staging = table / CHANGES / job
    staging.mkdir(parents=True)
    if marked:
        (staging / MARKER).touch()
    for name, content in files.items():
        (staging / f"{name}.json").write_text(content if isinstance(content, str) else json.dumps(content))
    return staging


def journal(number: int, add: Any = (), remove: Any = ()) -> dict[str, Any]:
    return {"number": number, "add": add, "remove": remove}


def test_changes_come_in_the_order_in_which_they_were_prepared(table: Path) -> None:
    b = staging_of(table, "b", commit=journal(2, ["x", "p=1/y"], ["z"]))
    a = staging_of(table, "a", prepared=journal(3))
    d = staging_of(table, "d", prepared=journal(2))
    staging_of(table, "c")
    assert changes_of(table) == [
        Change(b, 2, frozenset(["x", "p=1/y"]), frozenset(["z"]), True),
        Change(d, 2, frozenset(), frozenset(), False),
        Change(a, 3, frozenset(), frozenset(), False),
    ]


def test_a_change_with_both_journals_is_not_committed_yet(table: Path) -> None:
    staging_of(table, "a", prepared=journal(1), commit=journal(1))
    assert [change.is_committed for change in changes_of(table)] == [False]


def test_a_folder_without_our_marker_is_no_change_whatever_is_in_it(table: Path) -> None:
    staging_of(table, "a", marked=False, commit=journal(1, ["x"]))
    (table / CHANGES / "file").write_text("no folder")
    assert changes_of(table) == []
    assert [staging.name for staging in stagings(table)] == ["a"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "7",
        '"text"',
        "null",
        {"number": 1, "add": []},
        journal("x"),
        journal(1, "names"),
        journal(1, [], {"a": 1}),
        journal(1, [7]),
        {**journal(1), "note": ["../x", {"epoch": 1}]},
        {**journal(1), "note": ["x", {}]},
        {**journal(1), "note": 3},
    ],  # type: ignore[arg-type]  # damaged
)
def test_a_damaged_journal_is_an_error_that_names_it(table: Path, content: Any) -> None:
    staging = staging_of(table, "a", prepared=content)
    if content == "null":
        assert changes_of(table) == []
        return
    with pytest.raises(TableRuntimeException, match=f"The journal '{staging / PREPARED}' of a change of the table is damaged"):
        changes_of(table)


def test_a_table_without_changes_has_none(table: Path) -> None:
    assert changes_of(table) == settled_changes(table) == stagings(table) == []
    assert changes_of(table / "nosuch") == []


def test_changes_are_read_again_until_nothing_changes(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = [object()], [object()]
    states: list[Any] = [first, second, second, []]
    monkeypatch.setattr(journals, "changes_of", lambda table: states.pop(0))
    assert settled_changes(table) == second
    assert states == [[]]


def files_below(table: Path) -> list[str]:
    return sorted(str(path.relative_to(table)) for path in walk(table))


def test_hidden_files_and_folders_are_not_walked_but_folders_of_partitions_are(table: Path) -> None:
    for name in ("a", "p=1/b", "_p=2/c", "x/y/z/d", ".hidden/e", "_temporary/f", "_SUCCESS", ".crc", "p=1/_g", f"{CHANGES}/j/data/h"):
        (table / name).parent.mkdir(parents=True, exist_ok=True)
        (table / name).touch()
    assert files_below(table) == ["_p=2/c", "a", "p=1/b", "x/y/z/d"]


def test_links_are_followed_and_one_that_leads_back_is_an_error(table: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a").touch()
    (table / "b").symlink_to(other / "a")
    (table / "folder").symlink_to(other)
    assert files_below(table) == ["b", "folder/a"]
    (other / "back").symlink_to(table)
    with pytest.raises(TableRuntimeException, match=r"The link '.*' leads to '.*', a folder above it"):
        files_below(table)


def test_a_folder_that_is_not_there_cannot_be_walked(table: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(walk(table / "nosuch"))


def test_folders_are_listed_at_a_level(table: Path) -> None:
    for name in ("p=1/q=2", "p=1/q=1", "p=2/q=1/deeper", ".hidden/q=1", "p=3"):
        (table / name).mkdir(parents=True)
    assert folders_at(table, 0) == [""]
    assert folders_at(table, 1) == ["p=1", "p=2", "p=3"]
    assert folders_at(table, 2) == ["p=1/q=1", "p=1/q=2", "p=2/q=1"]
    (table / "p=1" / "_hidden").touch()
    assert folders_at(table, 2) is not None
    (table / "p=1" / "file").touch()
    assert folders_at(table, 2) is None
    assert folders_at(table, 1) is not None


def test_the_commit_is_the_renaming_of_the_journal(table: Path) -> None:
    staging = staging_of(table, "a", prepared=journal(1, ["x"]))
    os.rename(staging / PREPARED, staging / JOURNAL)
    assert [change.is_committed for change in changes_of(table)] == [True]
