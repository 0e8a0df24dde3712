"""What readers of a table see while other jobs change it: one state, whose files stay until they are done."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from table_common.exceptions import TableException, TableRuntimeException
from table_runtime.files import LocalChange, Snapshots, TableSnapshot, journals, local_path, snapshots, visible_files
from table_runtime.files.locks import LISTING, PinnedFolder

Names = list[str]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    table = tmp_path / "t"
    table.mkdir()
    (table / "old.txt").write_text("old")
    return table


def change(table: Path, job: str, *, replace: bool = False) -> None:
    write = LocalChange(table, job)
    write.begin()
    write.path_of(f"{job}.txt").write_text(job)
    write.commit((lambda names: names) if replace else (lambda names: ()))


def names(table: Path) -> Names:
    return [name for name, _ in visible_files(table)]


def staged(table: Path) -> Names:
    return [path.name for path in table.glob(".*")]


def test_files_that_a_reader_needs_stay_when_they_are_replaced(table: Path) -> None:
    with TableSnapshot(table) as snapshot:
        change(table, "new", replace=True)
        assert [path.read_text() for _, path in snapshot.files] == ["old"]
        assert names(table) == ["new.txt"]


def test_replaced_files_are_deleted_when_the_last_reader_that_needs_them_has_ended(table: Path) -> None:
    first, second = TableSnapshot(table), TableSnapshot(table)
    change(table, "new", replace=True)
    first.close()
    assert (table / "old.txt").exists()
    second.close()
    assert [path.name for path in table.iterdir()] == ["new.txt"]


def test_readers_that_began_later_do_not_keep_replaced_files(table: Path) -> None:
    first = TableSnapshot(table)
    change(table, "a", replace=True)
    with TableSnapshot(table) as second:
        first.close()
        assert sorted(path.name for path in table.iterdir()) == ["a.txt"]
        change(table, "b", replace=True)
        assert [name for name, _ in second.files] == ["a.txt"]
        assert (table / "a.txt").exists()
    assert [path.name for path in table.iterdir()] == ["b.txt"]


def test_a_reader_that_is_forgotten_keeps_nothing(table: Path) -> None:
    snapshot = TableSnapshot(table)
    change(table, "new", replace=True)
    del snapshot
    assert [path.name for path in table.iterdir()] == ["new.txt"]


def test_an_insertion_is_not_kept_in_mind_by_readers_that_have_listed(table: Path) -> None:
    with TableSnapshot(table) as snapshot:
        assert len(snapshot.files) == 1
        snapshot.end_listing()
        change(table, "new")
        assert staged(table) == []
        assert [name for name, _ in snapshot.files] == ["old.txt"]


def listing_meanwhile(monkeypatch: pytest.MonkeyPatch, action: Callable[[], None], *, before: bool) -> None:
    """Does something once, right before or after a folder is listed."""
    done: Names = []
    walk = snapshots.walk

    def walked(folder: Path) -> list[Path]:
        if before and not done:
            done.append("")
            action()
        found = list(walk(folder))
        if not before and not done:
            done.append("")
            action()
        return found

    monkeypatch.setattr(snapshots, "walk", walked)


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("replace", [True, False])
def test_a_change_while_the_folder_is_listed_is_not_seen(table: Path, monkeypatch: pytest.MonkeyPatch, before: bool, replace: bool) -> None:
    listing_meanwhile(monkeypatch, lambda: change(table, "new", replace=replace), before=before)
    with TableSnapshot(table) as snapshot:
        assert [name for name, _ in snapshot.files] == ["old.txt"]
        assert not snapshot.is_all_there_is()
    assert names(table) == (["new.txt"] if replace else ["new.txt", "old.txt"])


def test_two_changes_while_the_folder_is_listed_are_not_seen(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def twice() -> None:
        change(table, "a", replace=True)
        change(table, "b", replace=True)

    listing_meanwhile(monkeypatch, twice, before=True)
    with TableSnapshot(table) as snapshot:
        assert [name for name, _ in snapshot.files] == ["old.txt"]


def test_a_change_before_the_pin_is_set_is_seen_as_a_whole(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pin, done = PinnedFolder.pin, list[int]()
    blocker = TableSnapshot(table)  # so that the changes stay pending

    def late(self: PinnedFolder, kind: int, number: int) -> None:
        if not done and kind == LISTING:
            done.append(number)
            change(table, "new", replace=True)
        pin(self, kind, number)

    monkeypatch.setattr(PinnedFolder, "pin", late)
    with TableSnapshot(table) as snapshot:
        assert [name for name, _ in snapshot.files] == ["new.txt"]
    blocker.close()


def test_a_snapshot_of_a_folder_that_nobody_changes_is_all_there_is(table: Path) -> None:
    with TableSnapshot(table) as snapshot:
        assert snapshot.is_all_there_is()


def test_all_scans_of_a_job_read_the_same_state(table: Path) -> None:
    job = Snapshots()
    first = job.of(table)
    assert len(first.files) == 1
    change(table, "new", replace=True)
    link = table.parent / "link"
    link.symlink_to(table)
    assert job.of(link) is first
    job.close()
    assert job.came_since(table, ["old.txt", "new.txt"]) == ["new.txt"]
    assert names(table) == ["new.txt"]


def test_a_job_reads_the_state_that_it_was_planned_with(table: Path) -> None:
    planned = TableSnapshot(table)
    change(table, "new", replace=True)
    job = Snapshots()
    assert job.of(table, planned) is planned
    job.close()
    assert [name for name, _ in job.of(table, planned).files] == ["new.txt"]
    job.close()


def test_a_snapshot_does_not_travel(table: Path) -> None:
    with TableSnapshot(table) as snapshot:
        assert pickle.loads(pickle.dumps(snapshot)) is None


def test_a_file_that_is_the_table_is_its_only_file(table: Path) -> None:
    assert visible_files(table / "old.txt") == [("old.txt", table / "old.txt")]


@pytest.mark.parametrize("name", ["pipe", "sub/pipe", "link"])
def test_a_pipe_in_the_folder_is_an_error_that_names_it(table: Path, name: str) -> None:
    pipe = table / name
    pipe.parent.mkdir(exist_ok=True)
    if name == "link":
        pipe.symlink_to("/dev/zero")
    else:
        os.mkfifo(pipe)
    with pytest.raises(TableRuntimeException, match=f"'{pipe}' is a pipe, a socket or a device"):
        visible_files(table)


def test_a_path_that_is_a_device_is_an_error_that_says_so() -> None:
    with pytest.raises(TableRuntimeException, match="'/dev/zero' is a pipe, a socket or a device"):
        visible_files(Path("/dev/zero"))


def test_pipes_with_hidden_names_are_skipped(table: Path) -> None:
    os.mkfifo(table / "_pipe")
    assert names(table) == ["old.txt"]


@pytest.mark.parametrize(("name", "target"), [("loop", "."), ("sub/loop", ".."), ("sub/loop", "../sub")])
def test_a_link_that_leads_back_is_an_error_that_names_it(table: Path, name: str, target: str) -> None:
    link = table / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)
    with pytest.raises(TableRuntimeException, match=f"The link '{link}' leads to"):
        visible_files(table)


def test_links_that_lead_to_each_other_are_an_error_that_names_one(table: Path) -> None:
    for name, other in (("x", "y"), ("y", "x")):
        (table.parent / name).mkdir()
        (table.parent / name / "on").symlink_to(table.parent / other)
    (table / "in").symlink_to(table.parent / "x")
    with pytest.raises(TableRuntimeException, match=r"The link '.*/in/on/on' leads to '.*/x'"):
        visible_files(table)


def test_a_path_that_is_a_loop_of_links_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(
        TableRuntimeException, match=f"'{tmp_path / 'a'}' of the table cannot be resolved: Too many levels of symbolic links"
    ):
        visible_files(tmp_path / "a")


def test_the_same_folder_behind_two_links_is_read_twice(table: Path) -> None:
    (table.parent / "x").mkdir()
    (table.parent / "x" / "f.txt").write_text("f")
    for name in ("one", "two"):
        (table / name).symlink_to(table.parent / "x")
    assert names(table) == ["old.txt", "one/f.txt", "two/f.txt"]


@pytest.mark.parametrize("path", ["", "  "])
def test_an_empty_path_is_refused(path: str) -> None:
    with pytest.raises(TableException, match="The path of a table is empty"):
        local_path(path)


def test_journals_are_read_until_they_are_those_of_one_moment(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocker = TableSnapshot(table)
    change(table, "a")
    read, calls = journals.changes_of, list[int]()

    def changing(folder: Path) -> list[journals.Change]:
        found = read(folder)
        calls.append(1)
        if len(calls) == 1:
            change(table, "b")
        return found

    monkeypatch.setattr(journals, "changes_of", changing)
    assert [one.staging.name for one in journals.settled_changes(table)] == ["a", "b"]
    blocker.close()


def test_files_of_a_partition_are_listed_without_the_other_partitions(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[str] = []

    def walk(folder: Path) -> Iterable[Path]:
        walked.append(folder.name)
        return journals.walk(folder)

    monkeypatch.setattr(snapshots, "walk", walk)
    (table / "old.txt").unlink()
    for value in range(3):
        (table / f"p={value}" / "q=x").mkdir(parents=True)
        (table / f"p={value}" / "q=x" / "rows.txt").touch()
    with TableSnapshot(table) as snapshot:
        assert sorted(snapshot.partitions(["p", "q"], "none")) == [("0", "x"), ("1", "x"), ("2", "x")]
        assert [name for name, _ in snapshot.files_of(["p", "q"], "none", [("1", "x")])] == ["p=1/q=x/rows.txt"]
    assert walked == ["q=x"]


@pytest.mark.parametrize("name", ["more/p=1/rows.txt", "p=1/rows.txt/p=2/more.txt"])
def test_files_are_found_where_folders_of_partitions_have_others_between_them(table: Path, name: str) -> None:
    (table / "old.txt").unlink()
    (table / name).parent.mkdir(parents=True)
    (table / name).touch()
    with TableSnapshot(table) as snapshot:
        (values,) = snapshot.partitions(["p"], "none")
        assert [found for found, _ in snapshot.files_of(["p"], "none", [values])] == [name]


def test_a_partition_that_is_listed_late_is_as_it_was_when_the_snapshot_was_taken(table: Path) -> None:
    (table / "p=1").mkdir()
    (table / "old.txt").rename(table / "p=1" / "old.txt")
    job = Snapshots()
    snapshot = job.of(table)
    assert snapshot.files_of(["p"], "none", [("2",)]) == []
    job.end_listing()
    write = LocalChange(table, "late")
    write.begin()
    write.path_of("p=1/new.txt").touch()
    write.commit(lambda names: names)
    assert [name for name, _ in snapshot.files_of(["p"], "none", [("1",)])] == ["p=1/old.txt"]
    job.close()
    assert names(table) == ["p=1/new.txt"]


def test_only_files_in_folders_that_were_read_can_have_come_since(table: Path) -> None:
    (table / "old.txt").unlink()
    for value in (1, 2):
        (table / f"p={value}").mkdir()
        (table / f"p={value}" / "rows.txt").touch()
    job = Snapshots()
    job.of(table).files_of(["p"], "none", [("1",)])
    assert job.came_since(table, ["p=1/rows.txt", "p=1/new.txt", "p=2/new.txt"]) == ["p=1/new.txt"]
    job.close()


@pytest.mark.skipif(not os.path.ismount("/proc"), reason="needs Linux")
def test_streams_of_the_kernel_are_refused_though_they_look_like_files() -> None:
    for path in ("/proc/kmsg", "/proc/self/mem"):
        if os.path.exists(path):
            with pytest.raises(TableRuntimeException, match="Tables are read from files"):
                TableSnapshot(Path(path))
    assert [name for name, _ in TableSnapshot(Path("/proc/cpuinfo")).files] == ["cpuinfo"]
