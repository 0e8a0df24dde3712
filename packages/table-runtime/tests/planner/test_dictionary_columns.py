"""Texts of few values are read from Parquet as dictionaries by aggregates and top-n, and no result has a dictionary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableRuntimeException
from table_common.types import LogicalType, RowType, VarCharType
from table_runtime.formats import ReadTask, file_format
from table_runtime.formats.parquet import small_files
from table_runtime.scans.scan_files import ScanFiles

SEED = 7
COLUMNS = "a STRING, b STRING, c STRING, n BIGINT"


def _rows(count: int) -> pa.Table:
    random = Random(SEED)
    few = ["x", "yy", "", "é", None]
    return pa.table(
        {
            "a": pa.array([random.choice(few) for _ in range(count)]),
            "b": pa.array([random.choice(few[:3]) for _ in range(count)]),
            "c": pa.array([f"{random.random()}" for _ in range(count)]),
            "n": pa.array([random.randrange(10**9) for _ in range(count)]),
        }
    )


@pytest.fixture(autouse=True)
def _files_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files are read without dictionaries."""
    monkeypatch.setattr(small_files, "MOST_BYTES", -1)


@pytest.fixture
def env(mixed_dictionaries: Callable[[pa.Table], Path]) -> TableEnvironment:
    """An environment with the table t of three files: with dictionaries, without, and with a dictionary in one row group only."""
    path = mixed_dictionaries(_rows(3000))
    result = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    result.execute_sql(f"CREATE TABLE t ({COLUMNS}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{path}')")
    return result


def test_groups_of_files_with_and_without_dictionaries(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT a, b, COUNT(*) AS n FROM t GROUP BY a, b").to_arrow()
    assert result.schema.types == [pa.string(), pa.string(), pa.int64()]
    table = _rows(3000)
    expected = Counter(zip(table["a"].to_pylist(), table["b"].to_pylist(), strict=True))
    assert {(row["a"], row["b"]): row["n"] for row in result.to_pylist()} == expected
    assert len(result) == len(expected)


def test_a_grouping_column_that_is_an_argument_too(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT a, MIN(a), COUNT(DISTINCT b), COUNT(DISTINCT a) FROM t GROUP BY a").to_arrow()
    rows = sorted(tuple(row.values()) for row in result.to_pylist() if row["a"] is not None)
    assert rows == [("", "", 3, 1), ("x", "x", 3, 1), ("yy", "yy", 3, 1), ("é", "é", 3, 1)]


def test_grouping_sets(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT a, b, SUM(n) FROM t GROUP BY ROLLUP (a, b)").to_arrow()
    assert result.schema.types[:2] == [pa.string(), pa.string()]
    assert len(result) == 5 * 3 + 5 + 1


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[frozenset[str]]:
    """Which columns each scan that is read may return as dictionary arrays, in the order of the scans."""
    found: list[frozenset[str]] = []
    pieces = ScanFiles._pieces

    def recorded(scan: ScanFiles, *args: Any) -> Any:
        found.append(scan.dictionaries)
        return pieces(scan, *args)

    monkeypatch.setattr(ScanFiles, "_pieces", recorded)
    return found


GROUPED = {
    "a filter": ("SELECT a, b, COUNT(*) AS k FROM t WHERE n > 500000000 GROUP BY a, b", {"a", "b"}),
    "a filter on a key": ("SELECT a, b, COUNT(*) AS k FROM t WHERE a <> 'x' GROUP BY a, b", {"b"}),
    "a filter that all rows pass": ("SELECT a, COUNT(*) AS k FROM t WHERE n >= 0 OR c = '' GROUP BY a", {"a"}),
    "a filter that no row passes": ("SELECT a, COUNT(*) AS k FROM t WHERE n < 0 OR c = '' GROUP BY a", {"a"}),
    "a filter that may fail": ("SELECT a, COUNT(*) AS k FROM t WHERE b = 'x' AND CAST(c AS DOUBLE) > 0.5 GROUP BY a", {"a"}),
    "a computed column": ("SELECT a, b, SUM(n + 1) AS k FROM t GROUP BY a, b", {"a", "b"}),
    "a computed key": ("SELECT a || b AS ab, a, b, COUNT(*) AS k FROM t GROUP BY a || b, a, b", set()),
    "a computed argument of a key": ("SELECT a, b, SUM(CHAR_LENGTH(b)) AS k FROM t WHERE n > 1000 GROUP BY a, b", {"a"}),
    "a key as an argument": ("SELECT a, b, MAX(b) AS m, SUM(n * 2) AS k FROM t WHERE n > 1000 GROUP BY a, b", {"a"}),
    "a large value": ("SELECT a, b, MAX(REPEAT(c, 2)) AS m FROM t WHERE n > 1000 GROUP BY a, b", set()),
    "distinct rows": ("SELECT DISTINCT a, b FROM t WHERE n > 1000", set()),
}


@pytest.mark.parametrize(("query", "expected"), GROUPED.values(), ids=GROUPED)
def test_dictionaries_pass_filters_and_projections(
    env: TableEnvironment, scanned: list[frozenset[str]], query: str, expected: set[str]
) -> None:
    result = env.execute_sql(query).to_arrow()
    assert scanned == [expected]
    env.create_temporary_view("m", env.from_arrow(_rows(3000)))
    plain = env.execute_sql(query.replace("FROM t", "FROM m")).to_arrow()
    assert not any(pa.types.is_dictionary(type_) for type_ in result.schema.types)
    assert Counter(map(str, result.to_pylist())) == Counter(map(str, plain.to_pylist()))


@pytest.mark.parametrize("fetch", [3, 400, 2999])
def test_top_n_has_all_columns(env: TableEnvironment, fetch: int) -> None:
    result = env.execute_sql(f"SELECT * FROM t ORDER BY n DESC LIMIT {fetch}").to_arrow()
    expected = _rows(3000).sort_by([("n", "descending")]).slice(0, fetch)
    assert result.cast(expected.schema).equals(expected)


def test_a_shared_scan_has_no_dictionaries(env: TableEnvironment) -> None:
    result = env.execute_sql(
        "WITH s AS (SELECT a, b FROM t) SELECT a, COUNT(*) FROM s GROUP BY a UNION ALL SELECT a || b, 1 FROM s"
    ).to_arrow()
    assert result.schema.types[0] == pa.string()
    assert len(result) == 5 + 3000


def _read(path: Path, type_: LogicalType) -> pa.Array:
    task = ReadTask(path, RowType.of([("a", type_)]), ("a",), dictionaries=frozenset({"a"}))
    (piece,) = file_format("parquet").read(task)
    return piece().column(0)


def test_a_dictionary_with_a_value_twice_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    # The dictionary page has the values with their lengths: "x", "y" becomes "x", "x".
    page = b"\x01\x00\x00\x00x\x01\x00\x00\x00y"
    pq.write_table(pa.table({"a": pa.array(["x", "y", "x"])}), path, compression="none")
    raw = path.read_bytes()
    assert raw.count(page) == 1
    path.write_bytes(raw.replace(page, page[:-1] + b"x"))
    with pytest.raises(TableRuntimeException, match=r"Column 'a' of the Parquet file .* is damaged: its dictionary has a value twice"):
        _read(path, VarCharType())


def test_dictionaries_of_unknown_writers_are_not_used(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": pa.array(["x", "y", "x"])}), path)
    assert pa.types.is_dictionary(_read(path, VarCharType()).type)
    raw = path.read_bytes()
    assert raw.count(b"parquet-cpp-arrow") == 1
    path.write_bytes(raw.replace(b"parquet-cpp-arrow", b"another-cpp-arrow"))
    assert _read(path, VarCharType()).equals(pa.array(["x", "y", "x"]))


def test_a_text_with_a_length_is_no_dictionary(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": pa.array(["xyz", "y", "xyz"])}), path)
    assert _read(path, VarCharType(3)).type == pa.string()
