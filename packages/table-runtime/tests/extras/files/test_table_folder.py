"""What the folder of a table does alike on this machine and on a remote file system."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.files import TableFolder, folder_at

NOTE = ".table-epochs/job/committed.json"


@pytest.fixture(params=["", "local://"], ids=["path", "url"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> TableFolder:
    """Returns the folder ``t`` of a table, which does not exist yet."""
    return folder_at(f"{request.param}{tmp_path}/t")


@pytest.fixture
def put(folder: TableFolder) -> Callable[[str, bytes], None]:
    """Writes a file."""

    def written(name: str, content: bytes) -> None:
        with folder.file(name).open("wb") as file:
            file.write(content)

    return written


def publish(folder: TableFolder, epoch: int, *marks: str, **staged: str) -> None:
    note = (NOTE, {"epoch": epoch})
    folder.publish(f"job-{epoch}", {name: f".table-epochs/job/{where}" for name, where in staged.items()}, marks, note)


def test_a_table_that_does_not_exist_has_no_files(folder: TableFolder) -> None:
    assert folder.visible() == {}
    assert folder.read(NOTE) is None
    assert not folder.folders(".table-epochs")
    assert folder.changed(".table-epochs") == 0
    folder.remove(["a", ".table-epochs/job"])


def test_staged_files_are_published_with_marks_and_a_note(folder: TableFolder, put: Callable[[str, bytes], None]) -> None:
    put(".table-epochs/job/0-0/x", b"x")
    folder.sync([".table-epochs/job/0-0/x"])
    assert folder.visible() == {}
    publish(folder, 0, "p=1/_DONE", x="0-0/x")
    assert list(folder.visible()) == ["x"]
    assert folder.read("x") == b"x"
    assert folder.read("p=1/_DONE") == b""
    assert json.loads(folder.read(NOTE) or b"") == {"epoch": 0}


def test_a_repetition_adds_nothing_twice(folder: TableFolder, put: Callable[[str, bytes], None]) -> None:
    put(".table-epochs/job/0-0/x", b"x")
    for _ in range(2):
        publish(folder, 0, x="0-0/x")
    assert list(folder.visible()) == ["x"]


def test_a_file_that_is_neither_staged_nor_published_is_an_error(folder: TableFolder) -> None:
    folder.make()
    with pytest.raises(TableRuntimeException, match=r"lacks the file 'x' of a job, and it is not staged as '\.table-epochs/job/0-0/x'"):
        publish(folder, 0, x="0-0/x")
    assert folder.read(NOTE) is None


def test_folders_of_a_job_are_listed_with_their_times_and_removed(folder: TableFolder, put: Callable[[str, bytes], None]) -> None:
    for name in ("0-0/x", "0-1/p=1/y"):
        put(f".table-epochs/job/{name}", b"1")
    folder.write(NOTE, b"{}")
    found = folder.folders(".table-epochs/job")
    assert sorted(found) == ["0-0", "0-1"]
    assert min(folder.changed(f".table-epochs/job/{name}") for name in found) > 10**18
    folder.remove([".table-epochs/job/0-0"])
    assert list(folder.folders(".table-epochs/job")) == ["0-1"]
    folder.remove([".table-epochs/job"])
    assert folder.read(NOTE) is None


def test_a_file_is_no_folder_to_write(folder: TableFolder, tmp_path: Path) -> None:
    def make_file() -> None:
        folder.make()
        folder.file(".table-epochs/job/0-0/x")

    (tmp_path / "t").touch()
    with pytest.raises(TableRuntimeException, match=r"is a file\. A table that is written must be a folder"):
        make_file()


def test_changes_of_one_table_have_one_key(folder: TableFolder) -> None:
    assert folder.change("a").table == folder.change("b").table


def test_two_parts_do_not_write_one_file(folder: TableFolder) -> None:
    change = folder.change("job")
    change.begin()
    change.path_of("a")
    with pytest.raises(TableRuntimeException, match="Two writers of one job wrote the same file 'a'"):
        change.path_of("a", part=1)
    change.abort()
    assert folder.visible() == {}
