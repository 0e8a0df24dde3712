"""Files written by Spark: formats, partitions, overwriting, and what remains of a write that fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException

COLUMNS = (
    "id INT, name STRING, ok BOOLEAN, price DECIMAL(6, 2), day_ DATE, at_ TIMESTAMP(3), instant TIMESTAMP_LTZ(3), clock TIME, "
    "amount DOUBLE, bin BYTES, tags ARRAY<STRING>"
)
ROWS = (
    "(1, 'a,\"b\" \\ c', TRUE, 1.50, DATE '2020-01-02', TIMESTAMP '2020-01-02 03:04:05.678', "
    "CAST(TIMESTAMP '2020-01-02 03:04:05.678' AS TIMESTAMP_LTZ(3)), TIME '01:02:03', 1.5e10, CAST('xy' AS BYTES), ARRAY['p', 'q']), "
    "(2, '', FALSE, -1.00, DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.999', "
    "CAST(TIMESTAMP '1969-12-31 23:59:59.999' AS TIMESTAMP_LTZ(3)), TIME '23:59:59', -0.5e0, CAST('' AS BYTES), ARRAY['r'])"
)


def _create(run: Any, path: Path, format_: str, columns: str = COLUMNS, more: str = "", name: str = "t") -> None:
    run.environment.execute_sql(
        f"CREATE TEMPORARY TABLE {name} ({columns}) {more} WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = '{format_}')"
    )


@pytest.mark.needs_time
@pytest.mark.parametrize("format_", ["csv", "json", "parquet"])
def test_what_was_written_is_read(run: Any, tmp_path: Path, format_: str) -> None:
    _create(run, tmp_path / "t", format_)
    run.environment.execute_sql(f"INSERT INTO t VALUES {ROWS}").wait()
    expected = run.rows(f"SELECT * FROM (VALUES {ROWS}) AS v ORDER BY 1")
    assert run.rows("SELECT * FROM t ORDER BY id") == expected


def test_the_result_is_the_number_of_rows(run: Any, tmp_path: Path) -> None:
    _create(run, tmp_path / "t", "csv", "id INT")
    result = run.environment.execute_sql("INSERT INTO t VALUES (1), (2), (3)")
    assert [list(column) for column in result.to_arrow().to_pydict().values()] == [[3]]


def test_nothing_hidden_is_left_beside_the_files(run: Any, tmp_path: Path) -> None:
    _create(run, tmp_path / "t", "csv", "id INT")
    run.environment.execute_sql("INSERT INTO t VALUES (1)").wait()
    assert [path.name for path in (tmp_path / "t").iterdir() if path.name.startswith((".", "_"))] == []


def test_overwriting_replaces_what_was_there(run: Any, tmp_path: Path) -> None:
    _create(run, tmp_path / "t", "json", "id INT")
    run.environment.execute_sql("INSERT INTO t VALUES (1), (2)").wait()
    run.environment.execute_sql("INSERT OVERWRITE t VALUES (3)").wait()
    assert run.rows("SELECT id FROM t") == [(3,)]


def test_partitions_are_folders_named_by_key_and_value(run: Any, tmp_path: Path) -> None:
    _create(run, tmp_path / "t", "csv", "id INT, d STRING, h INT", "PARTITIONED BY (d, h)")
    run.environment.execute_sql("INSERT INTO t VALUES (1, 'a/b', 1), (2, CAST(NULL AS STRING), 2)").wait()
    folders = sorted(str(path.parent.relative_to(tmp_path / "t")) for path in (tmp_path / "t").rglob("part-*"))
    assert folders == ["d=__HIVE_DEFAULT_PARTITION__/h=2", "d=a%2Fb/h=1"]
    assert run.rows("SELECT id, d, h FROM t ORDER BY id") == [(1, "a/b", 1), (2, None, 2)]


def test_a_static_partition_is_overwritten_alone(run: Any, tmp_path: Path) -> None:
    _create(run, tmp_path / "t", "csv", "id INT, d STRING", "PARTITIONED BY (d)")
    run.environment.execute_sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')").wait()
    run.environment.execute_sql("INSERT OVERWRITE t PARTITION (d = 'x') SELECT 3").wait()
    assert run.rows("SELECT id, d FROM t ORDER BY id") == [(2, "y"), (3, "x")]


def test_a_write_that_fails_leaves_the_target_as_it_was(run: Any, tmp_path: Path) -> None:
    _create(run, tmp_path / "t", "csv", "id INT")
    run.environment.execute_sql("INSERT INTO t VALUES (1)").wait()
    before = sorted(path.name for path in (tmp_path / "t").rglob("*"))
    with pytest.raises(TableRuntimeException, match="cannot be cast"):
        run.environment.execute_sql("INSERT OVERWRITE t SELECT CAST(x AS INT) FROM (VALUES ('2'), ('no')) AS v(x)").wait()
    assert sorted(path.name for path in (tmp_path / "t").rglob("*")) == before


def test_a_write_that_fails_makes_no_folder(run: Any, tmp_path: Path) -> None:
    _create(run, tmp_path / "t", "csv", "id INT")
    with pytest.raises(TableRuntimeException):
        run.environment.execute_sql("INSERT INTO t SELECT CAST(x AS INT) FROM (VALUES ('no')) AS v(x)").wait()
    assert not (tmp_path / "t").exists()
