"""Unbounded jobs that read and write folders of files, on the embedded engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from waiting import eventually

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableRuntimeException
from table_runtime.files import visible_files


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    made = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    made.get_config().set("table.exec.sink.commit-interval", "20 ms")
    yield made
    made.close()


def published(folder: Path, name: str, content: str) -> None:
    """Writes a file as producers should: under a hidden name first."""
    folder.mkdir(parents=True, exist_ok=True)
    hidden = folder / f".{name}"
    hidden.write_text(content)
    hidden.rename(folder / name)


def lines(folder: Path) -> list[str]:
    """Returns the lines of the files that readers of the table see."""
    files = visible_files(folder) if folder.exists() else []
    return sorted(line for _, file in files for line in file.read_text().splitlines())


def watched(env: TableEnvironment, folder: Path, columns: str = "id BIGINT, d STRING") -> None:
    folder.mkdir()
    env.execute_sql(
        f"CREATE TABLE arrivals ({columns}) WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'csv', 'source.monitor-interval' = '10 ms')"
    )


def test_files_that_come_are_copied_once_each(env: TableEnvironment, tmp_path: Path) -> None:
    watched(env, tmp_path / "in")
    env.execute_sql(f"CREATE TABLE o (id BIGINT, d STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/out', 'format' = 'csv')")
    job = env.execute_sql("INSERT INTO o SELECT id, d FROM arrivals WHERE id > 1").get_job_client()
    assert job is not None
    expected = []
    for number in range(2, 6):
        published(tmp_path / "in", f"{number}.csv", f"{number},x\n1,x\n")
        expected.append(f"{number},x")
        eventually(lambda: lines(tmp_path / "out") == expected)
    job.cancel()


def test_rows_of_files_are_collected_as_they_come(env: TableEnvironment, tmp_path: Path) -> None:
    watched(env, tmp_path / "in")
    with env.execute_sql("SELECT d, COUNT(*) FROM arrivals GROUP BY d").collect() as rows:
        published(tmp_path / "in", "1.csv", "1,x\n")
        assert tuple(next(rows)) == ("x", 1)
        published(tmp_path / "in", "2.csv", "2,x\n")
        assert [tuple(next(rows)) for _ in range(2)] == [("x", 1), ("x", 2)]


def test_a_file_that_changes_ends_the_job_with_an_error(env: TableEnvironment, tmp_path: Path) -> None:
    watched(env, tmp_path / "in")
    with env.execute_sql("SELECT id FROM arrivals").collect() as rows:
        published(tmp_path / "in", "1.csv", "1,x\n")
        assert tuple(next(rows)) == (1,)
        with (tmp_path / "in" / "1.csv").open("a") as file:
            file.write("2,x\n")
        with pytest.raises(TableRuntimeException, match=r"the file '1\.csv' grew after it was read"):
            next(rows)


def test_a_partition_is_marked_when_the_watermark_has_passed_it(env: TableEnvironment, tmp_path: Path) -> None:
    watched(env, tmp_path / "in", "t TIMESTAMP(3), id BIGINT, WATERMARK FOR t AS t")
    env.execute_sql(
        f"CREATE TABLE o (id BIGINT, d STRING) PARTITIONED BY (d) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/out', 'format' = 'csv',"
        " 'sink.partition-commit.policy.kind' = 'success-file', 'sink.partition-commit.trigger' = 'partition-time',"
        " 'sink.partition-commit.delay' = '1 d')"
    )
    job = env.execute_sql("INSERT INTO o SELECT id, DATE_FORMAT(t, 'yyyy-MM-dd') FROM arrivals").get_job_client()
    assert job is not None
    published(tmp_path / "in", "1.csv", "2024-01-01 10:00:00,1\n2024-01-01 23:59:00,2\n")
    eventually(lambda: lines(tmp_path / "out") == ["1", "2"])
    assert not list((tmp_path / "out").glob("*/_SUCCESS"))
    published(tmp_path / "in", "2.csv", "2024-01-02 00:00:01,3\n")
    eventually(lambda: (tmp_path / "out" / "d=2024-01-01" / "_SUCCESS").exists())
    assert not (tmp_path / "out" / "d=2024-01-02" / "_SUCCESS").exists()
    job.cancel()


def test_a_partition_is_marked_some_time_after_its_first_row_though_no_row_comes(env: TableEnvironment, tmp_path: Path) -> None:
    watched(env, tmp_path / "in")
    env.execute_sql(
        f"CREATE TABLE o (id BIGINT, d STRING) PARTITIONED BY (d) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/out', 'format' = 'csv',"
        " 'sink.partition-commit.policy.kind' = 'success-file', 'sink.partition-commit.delay' = '200 ms')"
    )
    job = env.execute_sql("INSERT INTO o SELECT * FROM arrivals").get_job_client()
    assert job is not None
    published(tmp_path / "in", "1.csv", "1,a\n")
    eventually(lambda: (tmp_path / "out" / "d=a" / "_SUCCESS").exists())
    job.cancel()


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_an_insert_that_ends_marks_its_partitions(tmp_path: Path, make_env: Callable[[str], TableEnvironment], engine: str) -> None:
    env = make_env(engine)
    env.execute_sql(
        f"CREATE TABLE o (id BIGINT, d STRING) PARTITIONED BY (d) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/o', 'format' = 'csv',"
        " 'sink.partition-commit.policy.kind' = 'success-file')"
    )
    for _ in range(2 if engine == "arrow" else 1):
        env.execute_sql("INSERT INTO o VALUES (1, 'a'), (2, 'b')").wait()
    assert sorted(file.parent.name for file in (tmp_path / "o").glob("*/_SUCCESS")) == ["d=a", "d=b"]
    assert len(lines(tmp_path / "o")) == (4 if engine == "arrow" else 2)
