"""Tables on other file systems than this machine's are written as wholes: INSERT, OVERWRITE, TRUNCATE, CREATE TABLE AS, and what dead jobs left."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fsspec.core import url_to_fs
from fsspec.implementations.memory import MemoryFileSystem

from table_common.connector import FileScanProvider, FileSinkProvider
from table_common.exceptions import TableException, TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.batch.values import Values
from table_runtime.files import FileChanges, StagedFolder, TableFiles, begin_change, folder_at, remove_files
from table_runtime.files.owners import this_process
from table_runtime.run.execution import ExecutionContext
from table_runtime.sinks.file_sink import FileSink

COLUMNS = {"a": "INT", "s": "STRING"}
ROW = RowType.of([(name, parse_logical_type(text)) for name, text in COLUMNS.items()], nullable=False)
Batches = Any


@pytest.fixture(params=["memory", "local"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Gives a URL with nothing below: in memory, whose moves are copies, and in a folder, whose moves are renames."""
    if request.param == "local":
        yield f"local://{tmp_path}/tables/t"
        return
    yield "memory://tables/t"
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]


def paths_below(url: str) -> list[str]:
    system, root = url_to_fs(url)
    return sorted(path[len(root) :].strip("/") for path in system.find(root))


def put(url: str, name: str, content: bytes) -> None:
    system, root = url_to_fs(url)
    system.makedirs(f"{root}/{name}".rpartition("/")[0], exist_ok=True)
    system.pipe_file(f"{root}/{name}", content)


def write(url: str, batch: pa.RecordBatch, format_: str = "json", job_id: str = "job", **options: Any) -> None:
    provider = FileSinkProvider(url, format_, ROW, **options)
    context = ExecutionContext(job_id=job_id)
    try:
        list(FileSink(Values(batch.schema, lambda: [batch], batch.num_rows), provider, "t").batches(context))
        context.commit()
    finally:
        context.close()


def read(url: str, format_: str = "json", partition_keys: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
    file_type = RowType(tuple(field for field in ROW.fields if field.name not in partition_keys), nullable=False)
    files = TableFiles(FileScanProvider((url,), format_, file_type, ROW, partition_keys=partition_keys), "t")
    found = [piece() for file in files.listed() for piece in files.pieces(file)]
    return sorted(tuple(row.values()) for batch in found for row in batch.to_pylist())


@pytest.fixture
def batch(batches: Batches) -> Callable[..., pa.RecordBatch]:
    def make(*rows: tuple[Any, ...]) -> pa.RecordBatch:
        made: pa.RecordBatch = batches.batch(COLUMNS, list(rows))
        return made

    return make


@pytest.mark.parametrize("format_", ["json", "csv", "parquet", "orc", "avro"])
def test_rows_are_written_in_every_format(url: str, batch: Callable[..., pa.RecordBatch], format_: str) -> None:
    write(url, batch((1, "x"), (2, "y")), format_)
    assert read(url, format_) == [(1, "x"), (2, "y")]


def test_an_insertion_adds_rows_and_leaves_no_folder_behind(url: str, batch: Callable[..., pa.RecordBatch]) -> None:
    write(url, batch((1, "x")), job_id="first")
    write(url, batch((2, "y")), job_id="second")
    assert read(url) == [(1, "x"), (2, "y")]
    assert paths_below(url) == ["part-first-0-0.json", "part-second-0-0.json"]


def test_overwriting_replaces_rows(url: str, batch: Callable[..., pa.RecordBatch]) -> None:
    write(url, batch((1, "x")), job_id="first")
    write(url, batch((2, "y")), job_id="second", overwrite=True)
    assert read(url) == [(2, "y")]


def test_overwriting_replaces_the_partitions_written(url: str, batch: Callable[..., pa.RecordBatch]) -> None:
    write(url, batch((1, "x"), (2, "y")), job_id="first", partition_keys=("s",))
    write(url, batch((3, "y")), job_id="second", partition_keys=("s",), overwrite=True)
    assert read(url, partition_keys=("s",)) == [(1, "x"), (3, "y")]
    assert paths_below(url) == ["s=x/part-first-0-0.json", "s=y/part-second-0-0.json"]


def test_an_emptied_table_is_there_and_has_no_rows(url: str, batch: Callable[..., pa.RecordBatch]) -> None:
    write(url, batch((1, "x")))
    remove_files(url, "json")
    assert read(url) == []


def test_files_are_not_visible_before_the_commit(url: str) -> None:
    put(url, "old.json", b'{"a": 1}\n')
    change = begin_change(url, "job")
    with change.path_of("new.json").open("wb") as file:
        file.write(b'{"a": 2}\n')
    assert read(url) == [(1, None)]
    change.commit(lambda names: ["old.json"])
    assert read(url) == [(2, None)]


def test_a_change_that_is_given_up_leaves_the_table_as_it_was(url: str) -> None:
    put(url, "old.json", b'{"a": 1}\n')
    change = begin_change(url, "job")
    with change.path_of("new.json").open("wb") as file:
        file.write(b'{"a": 2}\n')
    change.abort()
    assert paths_below(url) == ["old.json"]


@pytest.fixture(params=[".table-changes/", ".staging-"])
def prefix(request: pytest.FixtureRequest) -> Any:
    """How the names of staging folders begin, now and in tables of the first releases."""
    return request.param


@pytest.mark.parametrize("content", [b"", b"[]", b'{"host": 3}', b'{"add": 1}', b'{"add": [], "removed": []}'])
def test_files_that_are_called_like_ours_but_are_damaged_hinder_nothing(
    url: str, batch: Callable[..., pa.RecordBatch], content: bytes, prefix: str
) -> None:
    put(url, f"{prefix}theirs/owner.json", content)
    put(url, f"{prefix}theirs/commit.json", content)
    write(url, batch((1, "x")))
    assert read(url) == [(1, "x")]
    assert f"{prefix}theirs/owner.json" in paths_below(url)


def half_published(url: str, prefix: str = ".table-changes/") -> None:
    """Makes what a job leaves that died after its journal and one of two moves."""
    put(url, "old.json", b'{"a": 1}\n')
    put(url, "b.json", b'{"a": 2}\n')
    put(url, f"{prefix}dead/data/c.json", b'{"a": 3}\n')
    put(url, f"{prefix}dead/owner.json", json.dumps({**this_process(), "start": "another"}).encode())
    put(url, f"{prefix}dead/commit.json", json.dumps({"add": ["b.json", "c.json"], "remove": ["old.json"]}).encode())


def test_readers_see_a_change_whole_whose_job_died_while_it_was_published(url: str, prefix: str) -> None:
    half_published(url, prefix)
    assert read(url) == [(2, None), (3, None)]


def test_the_next_job_finishes_a_change_whose_job_died(url: str, batch: Callable[..., pa.RecordBatch], prefix: str) -> None:
    half_published(url, prefix)
    write(url, batch((4, "x")))
    assert read(url) == [(2, None), (3, None), (4, "x")]
    assert paths_below(url) == ["b.json", "c.json", "part-job-0-0.json"]


def test_a_journal_that_is_not_whole_has_not_happened(url: str, prefix: str) -> None:
    half_published(url, prefix)
    put(url, f"{prefix}dead/commit.json", b'{"add": ["b.js')
    assert read(url) == [(1, None), (2, None)]


def test_the_next_job_removes_what_a_job_left_that_died_before_its_journal(
    url: str, batch: Callable[..., pa.RecordBatch], prefix: str
) -> None:
    put(url, f"{prefix}dead/data/c.json", b"{")
    put(url, f"{prefix}dead/owner.json", json.dumps({**this_process(), "start": "another"}).encode())
    put(url, f"{prefix}alive/owner.json", json.dumps(this_process()).encode())
    put(url, f"{prefix}elsewhere/owner.json", json.dumps({**this_process(), "host": "elsewhere"}).encode())
    write(url, batch((1, "x")))
    assert paths_below(url) == [f"{prefix}alive/owner.json", f"{prefix}elsewhere/owner.json", "part-job-0-0.json"]


def test_a_job_that_is_run_again_writes_its_rows_once(url: str, batch: Callable[..., pa.RecordBatch]) -> None:
    begin_change(url, "job").path_of("left.json")
    write(url, batch((1, "x")))
    write(url, batch((1, "x")))
    assert read(url) == [(1, "x")]


def test_a_change_that_is_finished_while_it_is_listed_is_listed_again(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    half_published(url)
    system, _ = url_to_fs(url)
    read_file = type(system).cat_file

    def finished_first(self: Any, path: str, *arguments: Any, **options: Any) -> Any:
        if path.endswith("commit.json"):
            monkeypatch.setattr(type(system), "cat_file", read_file)
            begin_change(url, "next").abort()
            raise FileNotFoundError(path)
        return read_file(self, path, *arguments, **options)

    monkeypatch.setattr(type(system), "cat_file", finished_first)
    assert read(url) == [(2, None), (3, None)]


def test_a_change_that_is_published_while_it_is_listed_is_listed_as_a_whole(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change = begin_change(url, "job")
    for name in ("a.json", "b.json"):
        with change.path_of(name).open("wb") as file:
            file.write(b'{"a": 1}\n')
    system, _ = url_to_fs(url)
    find = type(system).find

    def published_meanwhile(self: Any, path: str, *arguments: Any, **options: Any) -> Any:
        """The first page is from before the commit, the second one from after it."""
        first = find(self, path, *arguments, **options)
        monkeypatch.setattr(type(system), "find", find)
        change.commit()
        second = find(self, path, *arguments, **options)
        return {**first, **{name: found for name, found in second.items() if name.endswith("b.json")}}

    monkeypatch.setattr(type(system), "find", published_meanwhile)
    assert read(url) == [(1, None), (1, None)]


def test_a_file_that_marks_a_partition_is_no_file_of_the_table_before_it_is_moved(url: str) -> None:
    put(url, ".table-changes/dead/data/p=1/_SUCCESS", b"")
    put(url, ".table-changes/dead/commit.json", json.dumps({"add": ["p=1/_SUCCESS"], "remove": []}).encode())
    put(url, "p=1/a.json", b'{"a": 1}\n')
    assert list(folder_at(url).visible()) == ["p=1/a.json"]


def test_a_committed_change_whose_files_cannot_be_moved_is_no_error(
    url: str, batch: Callable[..., pa.RecordBatch], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    system, _ = url_to_fs(url)

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("slow down")

    monkeypatch.setattr(type(system), "mv", refuse)
    write(url, batch((1, "x")))
    assert "is committed, but some of its files are not at their place yet" in caplog.text
    assert read(url) == [(1, "x")]
    monkeypatch.undo()
    write(url, batch((2, "y")), job_id="next")
    assert read(url) == [(1, "x"), (2, "y")]
    assert paths_below(url) == ["part-job-0-0.json", "part-next-0-0.json"]


def test_two_jobs_may_finish_one_change(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change = begin_change(url, "job")
    for name in ("a.json", "b.json", "c.json"):
        with change.path_of(name).open("wb") as file:
            file.write(b'{"a": 1}\n')
    system, root = url_to_fs(url)
    move = type(system).mv

    def moved_by_the_other_too(self: Any, source: str, target: str, *arguments: Any, **options: Any) -> None:
        if source.endswith("a.json"):
            move(self, source.replace("a.json", "b.json"), f"{root}/b.json")
        move(self, source, target, *arguments, **options)

    monkeypatch.setattr(type(system), "mv", moved_by_the_other_too)
    change.commit()
    assert read(url) == [(1, None)] * 3
    assert paths_below(url) == ["a.json", "b.json", "c.json"]


@pytest.mark.parametrize(
    "journal",
    [
        {"add": [], "remove": ["../victim"]},
        {"add": ["a.json"], "remove": [], "staged": {"a.json": "../../secret"}},
        {"add": ["/a.json"], "remove": []},
        {"add": [], "remove": [], "note": ["../x", {"epoch": 1}]},
        {"add": [], "remove": [], "note": ["x"]},
        {"add": [], "remove": [], "staged": []},
        {"add": [3], "remove": []},
    ],
)
def test_a_journal_that_names_files_elsewhere_is_not_followed(
    url: str, batch: Callable[..., pa.RecordBatch], journal: dict[str, Any]
) -> None:
    put(url.rpartition("/")[0], "victim", b"v")
    put(url, ".table-changes/theirs/commit.json", json.dumps(journal).encode())
    write(url, batch((1, "x")))
    assert read(url) == [(1, "x")]
    assert "victim" in paths_below(url.rpartition("/")[0])


def test_a_folder_may_be_named_like_a_pattern(batch: Callable[..., pa.RecordBatch], tmp_path: Path) -> None:
    system, _ = url_to_fs("memory://")
    for place in (f"local://{tmp_path}/t[1]", "memory://tables/t[1]"):
        write(place, batch((1, "x")), job_id="first")
        write(place, batch((2, "y")), job_id="second", overwrite=True)
        assert read(place) == [(2, "y")]
        remove_files(place, "json")
        assert read(place) == []
        assert not [path for path in paths_below(place) if path.startswith(".table-changes")]
    system.rm("/tables", recursive=True)


def test_rows_that_were_removed_do_not_come_back_with_staged_files_that_could_not_be(
    url: str, batch: Callable[..., pa.RecordBatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    system, _ = url_to_fs(url)

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("malformed request")

    with monkeypatch.context() as patch:
        patch.setattr(type(system), "rm", refuse)
        write(url, batch((1, "x")))
    remove_files(url, "json")
    assert read(url) == []


def test_a_file_that_is_moved_while_it_is_listed_is_not_left_out(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    half_published(url)
    system, root = url_to_fs(url)
    find = type(system).find

    def moved_meanwhile(self: Any, path: str, *arguments: Any, **options: Any) -> Any:
        monkeypatch.setattr(type(system), "find", find)
        first = find(self, path, *arguments, **options)
        self.mv(f"{root}/.table-changes/dead/data/c.json", f"{root}/c.json")
        return {name: found for name, found in first.items() if not name.endswith("data/c.json")}

    monkeypatch.setattr(type(system), "find", moved_meanwhile)
    assert read(url) == [(2, None), (3, None)]


def test_a_job_that_replaces_a_table_keeps_what_it_adds_to_a_table_inside(url: str) -> None:
    put(url, "old.json", b'{"a": 1}\n')
    changes = FileChanges("job")
    for place, name in ((f"{url}/in", "inner.json"), (url, "outer.json")):
        part = changes.part(place)
        with part.path_of(name).open("wb") as file:
            file.write(b'{"a": 2}\n')
    part.replaces = lambda names: list(names)
    changes.commit()
    assert paths_below(url) == ["in/inner.json", "outer.json"]


def test_two_spellings_of_a_url_are_one_change(url: str) -> None:
    changes = FileChanges("job")
    for number, place in enumerate((url, f"{url}/")):
        with changes.part(place).path_of(f"{number}.json").open("wb") as file:
            file.write(b'{"a": 2}\n')
    changes.commit()
    assert paths_below(url) == ["0.json", "1.json"]


def test_a_table_that_replaces_another_appears_at_once(url: str, batch: Callable[..., pa.RecordBatch]) -> None:
    write(url, batch((1, "x")), job_id="first")
    staged = StagedFolder(url)
    staged.begin()
    write(staged.path, batch((2, "y")), job_id="second")
    assert read(url) == [(1, "x")]
    staged.commit()
    assert read(url) == [(2, "y")]
    assert paths_below(url) == ["part-second-0-0.json"]


def test_a_table_that_was_not_made_leaves_nothing(url: str, batch: Callable[..., pa.RecordBatch]) -> None:
    staged = StagedFolder(url)
    staged.begin()
    write(staged.path, batch((2, "y")))
    staged.abort()
    assert paths_below(url) == []


def test_what_was_staged_for_a_table_whose_job_died_is_removed_by_the_next_job(
    url: str, batch: Callable[..., pa.RecordBatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    staged = StagedFolder(url)
    staged.begin()
    write(staged.path, batch((2, "y")))
    monkeypatch.setattr("table_runtime.files.remote_folder.is_alive", lambda _: False)
    write(url, batch((3, "z")), job_id="next")
    assert paths_below(url) == ["part-next-0-0.json"]


def test_files_of_another_writer_are_taken_in(url: str) -> None:
    change = begin_change(url, "job")
    other = change.folder(1)
    put(other, "p=1/a.json", b'{"a": 1}\n')
    put(other, ".hidden.json", b"{")
    assert change.adopt(1) == ["p=1/a.json"]
    change.commit()
    assert paths_below(url) == ["p=1/a.json"]


def test_a_staged_file_that_is_lost_is_an_error(url: str) -> None:
    change = begin_change(url, "job")
    with change.path_of("a.json").open("wb") as file:
        file.write(b"{}")
    change.path_of("b.json")
    with pytest.raises(TableRuntimeException, match=r"lacks the file 'b\.json' of a job, and it is not staged as '\.table-changes/job/"):
        change.commit()


def test_a_file_is_no_table_to_write(url: str, batch: Callable[..., pa.RecordBatch]) -> None:
    put(url, "f.json", b"")
    with pytest.raises(TableRuntimeException, match=r"f\.json' is a file\. A table that is written must be a folder"):
        write(f"{url}/f.json", batch((1, "x")))


def test_a_file_system_that_can_only_be_read_is_said(
    url: str, batch: Callable[..., pa.RecordBatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    system, _ = url_to_fs(url)

    def refuse(*_: Any, **__: Any) -> None:
        raise NotImplementedError

    monkeypatch.setattr(type(system), "pipe_file", refuse)
    with pytest.raises(TableRuntimeException, match=r"tables/t' cannot be written: the file system is read-only\."):
        write(url, batch((1, "x")))


def test_a_failure_of_the_file_system_is_told_and_leaves_nothing(
    url: str, batch: Callable[..., pa.RecordBatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    system, _ = url_to_fs(url)

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("token expired")

    monkeypatch.setattr(type(system), "open", fail)
    with pytest.raises(TableRuntimeException, match="RuntimeError: token expired"):
        write(url, batch((1, "x")))
    monkeypatch.undo()
    assert paths_below(url) == []


def test_a_change_has_happened_if_its_journal_can_be_read_though_writing_it_failed(
    url: str, batch: Callable[..., pa.RecordBatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    system, _ = url_to_fs(url)
    put_whole = type(system).pipe_file

    def fail_afterwards(self: Any, path: str, content: bytes, **options: Any) -> None:
        put_whole(self, path, content, **options)
        if path.endswith("commit.json"):
            raise TimeoutError("no answer")

    monkeypatch.setattr(type(system), "pipe_file", fail_afterwards)
    write(url, batch((1, "x")))
    assert read(url) == [(1, "x")]


def test_a_change_whose_journal_cannot_be_written_has_not_happened(
    url: str, batch: Callable[..., pa.RecordBatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(url, "old.json", b'{"a": 1}\n')
    system, _ = url_to_fs(url)
    put_whole = type(system).pipe_file

    def fail(self: Any, path: str, content: bytes, **options: Any) -> None:
        if path.endswith("commit.json"):
            raise TimeoutError("no answer")
        put_whole(self, path, content, **options)

    monkeypatch.setattr(type(system), "pipe_file", fail)
    with pytest.raises(TableRuntimeException, match="TimeoutError: no answer"):
        write(url, batch((1, "x")))
    assert paths_below(url) == ["old.json"]


def test_a_host_in_a_file_url_is_refused(batch: Callable[..., pa.RecordBatch]) -> None:
    with pytest.raises(TableException, match="is not on this machine"):
        write("file://elsewhere/t", batch((1, "x")))
