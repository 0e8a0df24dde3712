"""Files read by Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException


def _create(run: Any, path: Path, format_: str, columns: str, options: str = "", more: str = "") -> None:
    run.environment.execute_sql(
        f"CREATE TEMPORARY TABLE t ({columns}) {more} WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = '{format_}'{options})"
    )


def test_csv_is_read_by_position_without_a_header(run: Any, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text('1,"a ""b"", c"\n2,\n')
    _create(run, tmp_path, "csv", "n INT, s STRING")
    assert run.rows("SELECT s, n FROM t ORDER BY n") == [('a "b", c', 1), ("", 2)]


def test_csv_options_have_the_names_of_flink(run: Any, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("# nothing\n1;'a;b'\n2;N/A\n")
    options = ", 'csv.field-delimiter' = ';', 'csv.quote-character' = '''', 'csv.allow-comments' = 'true', 'csv.null-literal' = 'N/A'"
    _create(run, tmp_path, "csv", "n INT, s STRING", options)
    assert run.rows("SELECT n, s FROM t ORDER BY n") == [(1, "a;b"), (2, None)]


def test_a_quoted_line_break_is_part_of_the_text(run: Any, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text('1,"a\nb"\n')
    _create(run, tmp_path, "csv", "n INT, s STRING")
    assert run.rows("SELECT s FROM t") == [("a\nb",)]


@pytest.mark.parametrize("content", ["x,a\n", "1\n", "1,a,b\n"])
def test_a_csv_row_that_does_not_fit_is_an_error(run: Any, tmp_path: Path, content: str) -> None:
    (tmp_path / "f.csv").write_text(content)
    _create(run, tmp_path, "csv", "n INT, s STRING")
    with pytest.raises(TableRuntimeException):
        run.rows("SELECT n, s FROM t")


def test_csv_that_does_not_fit_can_be_ignored(run: Any, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("1,a\nx,b\n3\n4,d,extra\n")
    _create(run, tmp_path, "csv", "n INT, s STRING", ", 'csv.ignore-parse-errors' = 'true'")
    assert sorted(run.rows("SELECT n, s FROM t"), key=str) == [(1, "a"), (3, None), (None, "b")]


def test_json_fields_are_found_by_name_and_may_be_missing(run: Any, tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text('{"s": "x", "n": 1.9, "r": {"a": [1, null]}}\n{"n": "2"}\n')
    _create(run, tmp_path, "json", "n INT, s STRING, r ROW<a ARRAY<INT>>")
    assert run.rows("SELECT n, s, r FROM t ORDER BY n") == [(1, "x", {"a": [1, None]}), (2, None, None)]


def test_broken_json_is_an_error(run: Any, tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text('{"n": 1}\n{"n\n')
    _create(run, tmp_path, "json", "n INT")
    with pytest.raises(TableRuntimeException):
        run.rows("SELECT n FROM t")


def test_partition_keys_come_from_folders(run: Any, tmp_path: Path) -> None:
    (tmp_path / "d=2020-01-01" / "h=7").mkdir(parents=True)
    (tmp_path / "d=2020-01-01" / "h=7" / "f.csv").write_text("1\n")
    _create(run, tmp_path, "csv", "n INT, d DATE, h INT", more="PARTITIONED BY (d, h)")
    assert run.rows("SELECT CAST(d AS STRING), h, n FROM t WHERE h = 7") == [("2020-01-01", 7, 1)]


def test_files_of_a_job_that_still_runs_are_not_seen(run: Any, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("1\n")
    (tmp_path / ".table-changes" / "x").mkdir(parents=True)
    (tmp_path / ".table-changes" / "x" / "g.csv").write_text("2\n")
    _create(run, tmp_path, "csv", "n INT")
    assert run.rows("SELECT n FROM t") == [(1,)]


def test_counting_needs_no_column(run: Any, tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text('{"n": 1}\n{"n": 2}\n')
    _create(run, tmp_path, "json", "n INT")
    assert run.rows("SELECT COUNT(*) FROM t") == [(2,)]


def test_a_folder_that_is_not_there_is_an_error_that_names_it(run: Any, tmp_path: Path) -> None:
    _create(run, tmp_path / "nowhere", "csv", "n INT")
    with pytest.raises(TableRuntimeException, match="nowhere"):
        run.rows("SELECT n FROM t")
