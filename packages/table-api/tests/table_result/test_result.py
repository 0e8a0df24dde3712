"""Results of jobs as rows and as Arrow data; these need pyarrow, which engines bring."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from table_api import JobCancelledException, JobStatus, Row, RowKind, TableEnvironment, TableException
from table_api.plan import optimizer
from table_api.plan.programs import BATCH
from table_common.arrow import from_python_rows
from table_common.frozen_dataclass import replace
from table_common.types import RowType, parse_logical_type

if TYPE_CHECKING:
    from conftest import FakePlanner

QUERY = "SELECT a, b FROM t"


def _batch(*rows: tuple[object, ...]) -> pa.RecordBatch:
    return from_python_rows(rows, RowType.of([("a", parse_logical_type("INT NOT NULL")), ("b", parse_logical_type("CHAR(1) NOT NULL"))]))


def test_rows_have_the_names_of_the_columns(env: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.given = [_batch((1, "x")), _batch((2, "y"))]
    with env.execute_sql(QUERY).collect() as rows:
        assert [(row.a, row["b"], row[0]) for row in rows] == [(1, "x", 1), (2, "y", 2)]


def test_row_equals_one_without_names(env: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.given = [_batch((1, "x"))]
    with env.execute_sql(QUERY).collect() as rows:
        assert list(rows) == [Row(1, "x")]


def test_leaving_the_block_early_stops_the_job(env: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.given = [_batch((1, "x"), (2, "y"))]
    planner.job.endless = True
    with env.execute_sql(QUERY).collect() as rows:
        assert next(rows) == Row(1, "x")
    assert planner.job.closed


def test_a_reader_of_a_job_that_the_end_of_its_session_cancels_gets_an_error(env: TableEnvironment, planner: FakePlanner) -> None:
    """The rows that it has read so far are not all rows."""
    planner.job.given = [_batch((1, "x")), _batch((2, "y"))]
    rows = env.execute_sql(QUERY).collect()
    next(rows)
    env.close()
    with pytest.raises(JobCancelledException, match=r"Job job-1 was cancelled\."):
        list(rows)


def test_the_rows_of_a_finished_job_can_be_read_after_the_end_of_its_session(
    env: TableEnvironment, planner: FakePlanner, monkeypatch: pytest.MonkeyPatch
) -> None:
    planner.job.given = [_batch((1, "x")), _batch((2, "y"))]
    rows = env.execute_sql(QUERY).collect()
    next(rows)
    monkeypatch.setattr(planner.job, "status", JobStatus.FINISHED)
    monkeypatch.setattr(planner.job, "cancel", lambda: None)  # a finished job cannot be cancelled
    env.close()
    assert [tuple(row) for row in rows] == [(2, "y")]


def test_changelog_rows_have_their_kind(env: TableEnvironment, planner: FakePlanner) -> None:
    kinds = pa.array([RowKind.INSERT.value, RowKind.DELETE.value], pa.int8())
    planner.job.given = [_batch((1, "x"), (1, "x")).append_column("kind", kinds)]
    with env.execute_sql(QUERY).collect() as rows:
        assert [row.get_row_kind() for row in rows] == [RowKind.INSERT, RowKind.DELETE]


def test_arrow_table_has_all_batches(env: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.given = [_batch((1, "x")), _batch((2, "y"))]
    assert env.sql_query(QUERY).to_arrow().to_pydict() == {"a": [1, 2], "b": ["x", "y"]}


def test_arrow_table_of_no_rows_has_the_columns(env: TableEnvironment) -> None:
    assert env.sql_query(QUERY).to_arrow().schema.names == ["a", "b"]


def test_stream_takes_batches_as_they_are_asked_for(env: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.given = [_batch((1, "x")), _batch((2, "y"))]
    reader = pa.RecordBatchReader.from_stream(env.sql_query(QUERY))
    assert [batch.num_rows for batch in reader] == [1, 1]


def test_batches_of_another_library_are_taken(env: TableEnvironment, planner: FakePlanner) -> None:
    class Foreign:
        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return _batch((3, "z")).__arrow_c_array__(requested_schema)

    planner.job.given = [Foreign()]
    with env.execute_sql(QUERY).collect() as rows:
        assert list(rows) == [Row(3, "z")]


def test_result_is_printed_as_a_table(env: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.given = [_batch((1, "x"))]
    output = io.StringIO()
    env.execute_sql(QUERY).print(output)
    assert output.getvalue() == "+---+---+\n| a | b |\n+---+---+\n| 1 | x |\n+---+---+\n1 row in set\n"


def test_waiting_keeps_the_first_rows(env: TableEnvironment, planner: FakePlanner) -> None:
    planner.job.given = [_batch((1, "x")), _batch((2, "y"))]
    result = env.execute_sql(QUERY)
    result.wait()
    result.wait(1000)
    with result.collect() as rows:
        assert [row.a for row in rows] == [1, 2]


def test_local_result_is_arrow_too(env: TableEnvironment) -> None:
    assert env.execute_sql("SHOW CATALOGS").to_arrow().to_pydict() == {"catalog name": ["default_catalog"]}


def test_number_of_rows_written_can_be_read_again(env: TableEnvironment, planner: FakePlanner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimizer, "BATCH", replace(BATCH, sink=lambda operation, context: operation))
    planner.job.given = [from_python_rows([(7,)], RowType.of([("n", parse_logical_type("BIGINT"))]))]
    env.execute_sql("CREATE TABLE sink (n INT, s STRING) WITH ('connector' = 'none')")
    result = env.execute_sql("INSERT INTO sink SELECT a, b FROM t")
    assert [list(result.collect()), list(result.collect())] == [[Row(7)], [Row(7)]]


def test_to_pandas_without_pandas_says_what_to_install(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_api.table_result.pandas_frame.find_spec", lambda name: None)
    with pytest.raises(TableException, match="not installed"):
        env.sql_query(QUERY).to_pandas()
