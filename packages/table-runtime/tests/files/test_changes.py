"""The changes of a job: one per table, whatever its sinks call it, with all that they replace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from table_common.connector import FileSinkProvider
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.files import FileChanges, Snapshots, begin_change, visible_files
from table_runtime.files.changes import ChangePart

ROW = RowType.of([("a", parse_logical_type("INT")), ("p", parse_logical_type("STRING"))])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    table = tmp_path / "t"
    for name in ("p=1/old.csv", "p=2/old.csv"):
        (table / name).parent.mkdir(parents=True)
        (table / name).write_text("old")
    return table


def contents(table: Path) -> dict[str, str]:
    return {name: path.read_text() for name, path in visible_files(table)}


def written(part: ChangePart, **files: str) -> None:
    for name, text in files.items():
        part.path_of(f"{name.replace('__', '/').replace('p', 'p=') if '__' in name else name}.csv").write_text(text)


def overwrite(part: ChangePart, table: Path, folders: tuple[str, ...] = (), **options: Any) -> None:
    part.overwrite(FileSinkProvider(str(table), "csv", ROW, overwrite=True, **options), folders)


def test_files_come_with_the_commit(table: Path) -> None:
    changes = FileChanges("job")
    written(changes.part(str(table)), p1__new="new")
    assert set(contents(table)) == {"p=1/old.csv", "p=2/old.csv"}
    changes.commit()
    assert contents(table) == {"p=1/new.csv": "new", "p=1/old.csv": "old", "p=2/old.csv": "old"}


def test_sinks_of_one_table_share_its_change_whatever_they_call_it(table: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(table)
    changes = FileChanges("job")
    parts = [changes.part(str(table)), changes.part(table.as_uri()), changes.part(f"{table}/"), changes.part(str(tmp_path / "link"))]
    assert len({id(part.change) for part in parts}) == 1
    for number, part in enumerate(parts):
        written(part, **{f"new{number}": str(number)})
    changes.commit()
    assert set(contents(table)) == {"p=1/old.csv", "p=2/old.csv", *(f"new{number}.csv" for number in range(4))}


def test_two_sinks_may_not_write_one_file(table: Path) -> None:
    changes = FileChanges("job")
    written(changes.part(str(table)), new="1")
    with pytest.raises(TableRuntimeException, match=r"Two writers of one job wrote the same file 'new\.csv'"):
        written(changes.part(str(table)), new="2")
    changes.abort()
    assert set(contents(table)) == {"p=1/old.csv", "p=2/old.csv"}


def test_overwriting_replaces_what_was_there_before_the_job(table: Path) -> None:
    changes = FileChanges("job")
    first, second = changes.part(str(table)), changes.part(str(table))
    written(first, new1="1")
    written(second, new2="2")
    overwrite(first, table)
    overwrite(second, table)
    changes.commit()
    assert contents(table) == {"new1.csv": "1", "new2.csv": "2"}


@pytest.mark.parametrize(
    ("folders", "static", "left"),
    [
        (("p=1",), {}, {"p=2/old.csv"}),
        ((), {}, {"p=1/old.csv", "p=2/old.csv"}),
        ((), {"p": "2"}, {"p=1/old.csv"}),
        (("p=1", "p=2"), {}, set()),
    ],
)
def test_overwriting_replaces_the_partitions_that_are_written_or_named(
    table: Path, folders: tuple[str, ...], static: dict[str, str], left: set[str]
) -> None:
    changes = FileChanges("job")
    overwrite(changes.part(str(table)), table, folders, partition_keys=("p",), static_partition=static)
    changes.commit()
    assert set(contents(table)) == left


def test_files_of_another_format_are_not_replaced(table: Path) -> None:
    (table / "notes.docx").write_text("mine")
    changes = FileChanges("job")
    overwrite(changes.part(str(table)), table)
    with pytest.raises(TableRuntimeException, match=r"would delete 1 files .*notes\.docx"):
        changes.commit()
    changes.abort()
    assert "notes.docx" in contents(table)


def test_a_table_inside_of_another_one_keeps_what_the_job_writes_there(table: Path) -> None:
    inner = table / "inner"
    changes = FileChanges("job")
    written(changes.part(str(inner)), new="inner")
    outer = changes.part(str(table))
    written(outer, outer="outer")
    overwrite(outer, table)
    changes.commit()
    assert contents(table) == {"inner/new.csv": "inner", "outer.csv": "outer"}


def test_files_of_an_engines_own_writer_are_taken_in(table: Path) -> None:
    changes = FileChanges("job")
    part = changes.part(str(table))
    folder = Path(part.folder)
    (folder / "p=1").mkdir(parents=True)
    (folder / "p=1" / "part-0.csv").write_text("new")
    (folder / "_SUCCESS").touch()
    assert part.adopt() == ["p=1/part-0.csv"]
    changes.commit()
    assert contents(table)["p=1/part-0.csv"] == "new"
    assert not (table / "_SUCCESS").exists()


def test_an_aborted_job_leaves_all_its_tables_as_they_were(table: Path, tmp_path: Path) -> None:
    changes = FileChanges("job")
    written(changes.part(str(table)), new="1")
    written(changes.part(str(tmp_path / "other")), new="2")
    changes.abort()
    changes.abort()
    assert set(contents(table)) == {"p=1/old.csv", "p=2/old.csv"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t"]


def test_a_job_that_replaces_what_it_has_read_fails_if_files_came_since(table: Path) -> None:
    read = Snapshots()
    try:
        _ = read.of(table).files
        changes = FileChanges("job")
        written(changes.part(str(table)), new="new")
        other = begin_change(str(table), "other")
        other.path_of("since.csv").write_text("since")
        other.commit()
        overwrite(changes.part(str(table)), table)
        with pytest.raises(TableRuntimeException, match=r"^Another job changed the table .*since\.csv"):
            changes.commit(read)
        changes.abort()
    finally:
        read.close()
    assert set(contents(table)) == {"p=1/old.csv", "p=2/old.csv", "since.csv"}


def test_a_path_that_cannot_be_written_is_an_error_when_the_part_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TableRuntimeException, match=r"is a file\. A table that is written must be a folder"):
        FileChanges("job").part(str(tmp_path / "file"))
