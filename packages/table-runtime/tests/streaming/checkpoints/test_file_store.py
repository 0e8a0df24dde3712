from __future__ import annotations

import errno
from pathlib import Path

import pytest

from table_common.exceptions import TableException, TableRuntimeException
from table_runtime.streaming.checkpoints import file_store
from table_runtime.streaming.checkpoints.file_store import FileStore, open_store
from table_runtime.streaming.job.restarts import is_failure_of_system


@pytest.fixture(params=["local", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> FileStore:
    if request.param == "local":
        return open_store(str(tmp_path / "store"))
    pytest.importorskip("fsspec")
    return open_store(f"memory://{tmp_path.name}/store")


def test_a_file_is_created_once(store: FileStore) -> None:
    assert store.create("a/b.json", b"1")
    assert not store.create("a/b.json", b"2")
    assert store.read("a/b.json") == b"1"


def test_what_begins_with_a_dot_is_hidden(store: FileStore) -> None:
    store.create("a/.x", b"1")
    store.create("a/y", b"1")
    assert store.names("a") == ["y"]
    assert store.names("a", with_hidden=True) == [".x", "y"]


def test_nothing_is_below_a_file(store: FileStore) -> None:
    store.create("README", b"1")
    assert store.read("README/job.json") is None


def test_files_are_written_replaced_listed_and_deleted(store: FileStore) -> None:
    assert store.read("a/x") is None
    assert store.names("a") == []
    assert store.write("a/x", [b"one", b"two"]) == 6
    store.replace("a/y", b"1")
    store.replace("a/y", b"2")
    assert store.names("a") == ["x", "y"]
    assert (store.read("a/x"), store.read("a/y")) == (b"onetwo", b"2")
    store.delete("a/y")
    store.delete("a/y")
    assert store.names("a") == ["x"]
    store.delete("a")
    assert store.read("a/x") is None


def test_files_are_copied_to_another_store(store: FileStore, tmp_path: Path) -> None:
    store.write("x", [b"1"])
    target = open_store(str(tmp_path / "target"))
    store.copy("x", target, "deep/y")
    store.delete("x")
    assert target.read("deep/y") == b"1"
    with pytest.raises(TableRuntimeException, match="does not exist"):
        open_store(str(tmp_path / "nothing")).copy("z", store, "z")


def test_an_error_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = open_store(str(tmp_path / "file"))
    with pytest.raises(TableRuntimeException, match=f"The checkpoint file '{tmp_path / 'file'}/a' failed: "):
        store.create("a", b"")


@pytest.mark.parametrize(("code", "hint"), [(errno.ENOSPC, "Make room there"), (errno.EROFS, "needs the right"), (errno.EIO, None)])
def test_an_error_of_the_file_system_says_what_to_do(code: int, hint: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(number: int) -> None:
        raise OSError(code, "failed")

    monkeypatch.setattr(file_store.os, "fsync", fails)
    with pytest.raises(TableRuntimeException, match=r"The checkpoint file '.*/a' failed: OSError: failed") as raised:
        open_store(str(tmp_path)).create("a", b"")
    assert (hint or "") in (raised.value.hint or "")
    assert (raised.value.hint is None) == (hint is None)
    assert not list(tmp_path.iterdir())


def test_a_file_system_that_does_not_start_is_named_by_the_url(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(url: object) -> None:
        raise OSError("there is no libhdfs")

    monkeypatch.setattr(file_store, "remote_system", fail)
    with pytest.raises(TableException, match=r"cannot be at 'hdfs://host/x': there is no libhdfs\.") as caught:
        open_store("hdfs://host/x")  # type: ignore[arg-type]
    assert not is_failure_of_system(caught.value)  # a job is not started again
