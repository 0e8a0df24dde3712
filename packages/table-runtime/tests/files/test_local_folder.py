from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from table_common.exceptions import TableException, TableRuntimeException
from table_runtime.files import LocalChange, TableSnapshot, local_path, partition_folder, partition_values, visible_files
from table_runtime.files.owners import is_alive, this_process

DIES = """
import os, signal, sys
from pathlib import Path
from table_runtime.files import local_folder

moment, table = sys.argv[1], Path(sys.argv[2])
def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)
write = local_folder.LocalChange(table, "job")
write.begin()
for name in ("a.txt", "p=1/b.txt"):
    write.path_of(name).write_text("new")
if moment == "before":
    die()
moves = 0
rename = os.rename
def stop_after_one_move(source, target):
    global moves
    if str(target).endswith(".txt"):
        moves += 1
        if moves == 2:
            die()
    rename(source, target)
if moment == "moving":
    os.rename = stop_after_one_move
if moment == "removing":
    Path.unlink = die
write.commit(lambda names: ["old.txt"])
"""


def contents(table: Path) -> dict[str, str]:
    return {name: path.read_text() for name, path in visible_files(table)}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    table = tmp_path / "t"
    table.mkdir()
    (table / "old.txt").write_text("old")
    return table


def killed(moment: str, table: Path) -> None:
    finished = subprocess.run([sys.executable, "-c", DIES, moment, str(table)], capture_output=True, text=True, timeout=60, check=False)
    assert finished.returncode == -signal.SIGKILL, finished.stderr


def test_a_job_killed_before_its_commit_has_not_happened(table: Path) -> None:
    killed("before", table)
    assert contents(table) == {"old.txt": "old"}


def test_a_job_killed_while_it_moves_files_has_not_happened(table: Path) -> None:
    killed("moving", table)
    assert (table / "a.txt").exists()
    with TableSnapshot(table) as snapshot:
        assert snapshot.files == [("old.txt", table / "old.txt")]
    assert contents(table) == {"old.txt": "old"}


def test_a_job_killed_while_it_removes_files_has_happened_as_a_whole(table: Path) -> None:
    killed("removing", table)
    assert (table / "old.txt").exists()
    assert contents(table) == {"a.txt": "new", "p=1/b.txt": "new"}


@pytest.mark.parametrize("moment", ["before", "moving", "removing"])
def test_a_reader_takes_away_what_a_dead_job_left(table: Path, moment: str) -> None:
    killed(moment, table)
    visible_files(table)
    assert not list(table.glob(".*"))


@pytest.mark.parametrize(
    ("moment", "expected"),
    [("before", ["old.txt", "z.txt"]), ("moving", ["old.txt", "z.txt"]), ("removing", ["a.txt", "p=1/b.txt", "z.txt"])],
)
def test_the_next_job_finishes_or_removes_what_a_dead_one_left(table: Path, moment: str, expected: list[str]) -> None:
    killed(moment, table)
    write = LocalChange(table, "next")
    write.begin()
    write.path_of("z.txt").write_text("next")
    write.commit()
    assert sorted(str(path.relative_to(table)) for path in table.rglob("*.txt")) == expected
    assert not list(table.glob(".*"))
    assert [path.name for path in table.parent.iterdir()] == ["t"]


def test_a_job_that_still_runs_is_left_alone(table: Path) -> None:
    first = LocalChange(table, "first")
    first.begin()
    second = LocalChange(table, "second")
    second.begin()
    second.commit()
    first.path_of("f.txt").write_text("first")
    first.commit()
    assert contents(table) == {"old.txt": "old", "f.txt": "first"}


def test_adopting_takes_what_an_engine_wrote_without_its_hidden_files(table: Path) -> None:
    write = LocalChange(table, "job")
    write.begin()
    for name in ("p=1/b.txt", "a.txt", ".a.txt.crc", "_temporary/0/c.txt"):
        path = Path(write.folder()) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("new")
    assert contents(table) == {"old.txt": "old"}
    assert write.adopt() == ["a.txt", "p=1/b.txt"]
    write.commit()
    assert sorted(str(path.relative_to(table)) for path in table.rglob("*.*")) == ["a.txt", "old.txt", "p=1/b.txt"]


def test_an_aborted_job_leaves_nothing(table: Path) -> None:
    write = LocalChange(table, "job")
    write.begin()
    write.path_of("a.txt").write_text("new")
    write.abort()
    assert contents(table) == {"old.txt": "old"}
    assert [path.name for path in table.iterdir()] == ["old.txt"]
    assert [path.name for path in table.parent.iterdir()] == ["t"]


def test_an_aborted_job_takes_away_the_folder_that_it_made(tmp_path: Path) -> None:
    write = LocalChange(tmp_path / "new", "job")
    write.begin()
    write.path_of("a.txt").write_text("new")
    write.abort()
    assert list(tmp_path.iterdir()) == []


def test_aborting_after_the_commit_changes_nothing(table: Path) -> None:
    write = LocalChange(table, "job")
    write.begin()
    write.path_of("a.txt").write_text("new")
    write.commit(lambda names: ["old.txt"])
    write.abort()
    assert contents(table) == {"a.txt": "new"}


def test_a_table_behind_a_link_is_written_where_the_link_points(table: Path) -> None:
    link = table.parent / "link"
    link.symlink_to(table)
    write = LocalChange(link, "job")
    write.begin()
    write.path_of("a.txt").write_text("new")
    write.commit()
    assert link.is_symlink()
    assert contents(table) == contents(link) == {"old.txt": "old", "a.txt": "new"}


def test_hidden_files_and_folders_are_no_files_of_the_table(table: Path) -> None:
    for name in ("_SUCCESS", ".crc", "_temporary/x.txt", ".git/y.txt"):
        path = table / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    assert contents(table) == {"old.txt": "old"}


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(TableRuntimeException, match="nowhere"):
        visible_files(tmp_path / "nowhere")


def test_writing_to_a_file_is_refused(table: Path) -> None:
    with pytest.raises(TableRuntimeException, match="is a file"):
        LocalChange(table / "old.txt", "job").begin()


def test_a_folder_that_cannot_be_made_is_an_error_of_the_table(table: Path) -> None:
    with pytest.raises(TableRuntimeException, match="cannot be written"):
        LocalChange(table / "old.txt" / "below", "job").begin()


@pytest.mark.parametrize("value", ["2020-01-01", "a/b", "a=b c%", "é", None])
def test_partition_folders_are_read_back(value: str | None) -> None:
    folder = partition_folder(["k", "n"], [value, "1"], "__DEFAULT__")
    assert partition_values(Path(folder) / "f.csv", ["n", "k"], "__DEFAULT__") == ["1", value]


def test_a_file_outside_of_any_partition_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="in no folder 'k=…'"):
        partition_values(Path("f.csv"), ["k"], "__DEFAULT__")


def test_paths_are_local_paths_or_file_urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert local_path("data/t") == tmp_path / "data" / "t"
    assert local_path("file:///a%20b/c") == Path("/a b/c")
    assert local_path("file:/a") == Path("/a")
    with pytest.raises(TableException, match="not on this machine"):
        local_path("s3://bucket/t")


def test_the_process_of_this_test_is_alive() -> None:
    owner = this_process()
    assert is_alive(owner)
    assert not is_alive({**owner, "start": "another"})


@pytest.mark.parametrize(
    "owner", [None, 3, [], {}, {"host": this_process()["host"]}, {**this_process(), "pid": "x"}, {**this_process(), "pid": 10**30}]
)
def test_a_process_that_is_not_described_may_be_alive(owner: object) -> None:
    assert is_alive(owner)


@pytest.mark.parametrize("content", ["", "[]", '{"table": 3}', '{"host": "h"}'])
def test_a_foreign_folder_that_is_called_like_ours_stays(table: Path, content: str) -> None:
    foreign = table / ".table-changes" / "theirs"
    foreign.mkdir(parents=True)
    (foreign / "owner.json").write_text(content)
    (foreign / "commit.json").write_text('{"remove": ["old.txt"]}')
    write = LocalChange(table, "job")
    write.begin()
    write.path_of("a.txt").write_text("new")
    write.commit()
    assert contents(table) == {"old.txt": "old", "a.txt": "new"}
    assert (foreign / "owner.json").read_text() == content


def test_a_damaged_journal_of_ours_is_an_error_that_names_it(table: Path) -> None:
    killed("removing", table)
    (table / ".table-changes" / "job" / "commit.json").write_text('{"add": 3')
    with pytest.raises(TableRuntimeException, match=r"\.table-changes/job/commit\.json' of a change of the table is damaged"):
        visible_files(table)


def test_a_job_that_died_while_it_removed_its_folder_can_be_run_again(tmp_path: Path) -> None:
    (tmp_path / "t" / ".table-changes" / "job").mkdir(parents=True)
    again = LocalChange(tmp_path / "t", "job")
    again.begin()
    again.path_of("a.txt").write_text("new")
    again.commit()
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == ["t", "t/a.txt"]


def test_a_job_that_is_run_again_under_its_name_has_effect_once(table: Path) -> None:
    for _ in range(2):
        write = LocalChange(table, "job")
        write.begin()
        write.path_of("a.txt").write_text("new")
        write.commit(lambda names: names)
    assert contents(table) == {"a.txt": "new"}


def test_a_file_of_another_job_is_never_replaced_by_one_of_its_name(table: Path) -> None:
    write = LocalChange(table, "job")
    write.begin()
    write.path_of("old.txt").write_text("new")
    with pytest.raises(TableRuntimeException, match=r"the file 'old\.txt' exists"):
        write.commit()
    write.abort()
    assert contents(table) == {"old.txt": "old"}


def test_two_writers_of_a_job_may_not_write_a_file_of_one_name(table: Path) -> None:
    write = LocalChange(table, "job")
    write.begin()
    write.path_of("a.txt", 0).write_text("first")
    with pytest.raises(TableRuntimeException, match=r"Two writers of one job wrote the same file 'a\.txt'"):
        write.path_of("a.txt", 1)
    write.abort()


def test_two_replacements_at_once_leave_the_rows_of_one(table: Path) -> None:
    first, second = LocalChange(table, "first"), LocalChange(table, "second")
    for write, name in ((first, "f.txt"), (second, "s.txt")):
        write.begin()
        write.path_of(name).write_text("new")
    first.commit(lambda names: names)
    second.commit(lambda names: names)
    assert contents(table) == {"s.txt": "new"}


def test_a_job_that_replaces_what_it_has_read_fails_if_another_one_added_to_it(table: Path) -> None:
    first, second = LocalChange(table, "first"), LocalChange(table, "second")
    for write, name in ((first, "f.txt"), (second, "s.txt")):
        write.begin()
        write.path_of(name).write_text("new")
    first.commit()
    with pytest.raises(TableRuntimeException, match="Another job changed the table at"):
        second.commit(lambda names: names, lambda names: sorted(set(names) - {"old.txt"}))
    second.abort()
    assert contents(table) == {"old.txt": "old", "f.txt": "new"}


def test_a_commit_that_fails_while_it_moves_files_has_not_happened(table: Path) -> None:
    write = LocalChange(table, "job")
    write.begin()
    for name in ("a.txt", "old.txt/b.txt"):
        write.path_of(name).write_text("new")
    with pytest.raises(TableRuntimeException, match="cannot be written"):
        write.commit(lambda names: names)
    write.abort()
    assert contents(table) == {"old.txt": "old"}
    assert [path.name for path in table.iterdir()] == ["old.txt"]


def test_files_of_one_name_in_several_folders_are_published(tmp_path: Path) -> None:
    change = LocalChange(tmp_path / "t", "job")
    change.begin()
    for folder in ("p=1", "p=2", "p=3"):
        change.path_of(f"{folder}/part-0.csv").write_text(folder)
    change.commit()
    assert {path.parent.name: path.read_text() for path in (tmp_path / "t").rglob("*.csv")} == {"p=1": "p=1", "p=2": "p=2", "p=3": "p=3"}


def test_many_files_are_published(tmp_path: Path) -> None:
    change = LocalChange(tmp_path / "t", "job")
    change.begin()
    for number in range(40):
        change.path_of(f"part-{number}.csv").write_text(str(number))
    change.commit()
    assert sorted(int(path.read_text()) for path in (tmp_path / "t").glob("*.csv")) == list(range(40))
