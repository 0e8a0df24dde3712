"""Scans that wait for the keys of the other side of a join: what is not read, and that rows stay the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.connectors.memory import drop_memory_table
from table_runtime.connectors.memory.source import MemoryScan
from table_runtime.scans import dynamic_filters

Query = Callable[[str], list[tuple[Any, ...]]]

OPTION = "table.optimizer.dynamic-filtering.enabled"
BY_DIMENSION = "SELECT f.id FROM f JOIN d ON f.k = d.k WHERE d.name = 'a' ORDER BY f.id"


@pytest.fixture
def tables(env: Any, tmp_path: Path) -> Iterator[None]:
    env.get_config().set("table.dml-sync", "true")
    for name, columns, keys in (("f", "id INT, k INT", "PARTITIONED BY (k)"), ("m", "id INT, k INT", "PARTITIONED BY (k)")):
        connector = f"'filesystem', 'path' = '{tmp_path / 'f'}', 'format' = 'parquet'" if name == "f" else "'memory', 'name' = 'dynamic'"
        env.execute_sql(f"CREATE TABLE {name} ({columns}) {keys} WITH ('connector' = {connector})")
        env.execute_sql(f"INSERT INTO {name} VALUES (1, 1), (2, 1), (3, 2), (4, 3), (5, CAST(NULL AS INT))")
    env.execute_sql("CREATE TABLE d (k BIGINT, name STRING) WITH ('connector' = 'memory', 'name' = 'dimension')")
    env.execute_sql("INSERT INTO d VALUES (1, 'a'), (2, 'b'), (CAST(NULL AS BIGINT), 'a'), (9, 'a'), (3, 'c')")
    yield
    drop_memory_table("dynamic")
    drop_memory_table("dimension")


def spoil(folder: Path, *partitions: str) -> None:
    """Makes the files of partitions unreadable."""
    for partition in partitions:
        for file in (folder / "f" / partition).rglob("*.parquet"):
            file.write_bytes(b"no parquet")


NOT_ONE = ("k=2", "k=3", "k=__HIVE_DEFAULT_PARTITION__")


@pytest.mark.usefixtures("tables")
def test_partitions_without_a_key_are_not_read(query: Query, tmp_path: Path) -> None:
    spoil(tmp_path, *NOT_ONE)
    assert query("SELECT f.id FROM f JOIN d ON d.k = f.k WHERE name = 'a' AND id > 1") == [(2,)]


@pytest.mark.usefixtures("tables")
def test_without_the_option_all_partitions_are_read(env: Any, query: Query, tmp_path: Path) -> None:
    env.get_config().set(OPTION, "false")
    assert "dynamicFilters" not in env.explain_sql(BY_DIMENSION)
    spoil(tmp_path, *NOT_ONE)
    with pytest.raises(TableRuntimeException):
        query(BY_DIMENSION)


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("text", [BY_DIMENSION, "SELECT id FROM f WHERE k IN (SELECT k FROM d WHERE name = 'a') ORDER BY id"])
def test_plans_show_by_what_a_scan_waits(env: Any, text: str) -> None:
    optimized, physical = env.explain_sql(text).split("== Physical Plan")
    assert "fields=[id, k], dynamicFilters=[k]" in optimized
    assert "fields=[id, k], dynamicFilters=[k]" in physical


@pytest.mark.usefixtures("tables")
def test_a_scan_that_waits_is_a_source_in_plans_as_json(query: Query) -> None:
    ((text,),) = query(f"EXPLAIN JSON_EXECUTION_PLAN {BY_DIMENSION}")
    nodes = json.loads(text.split("== Physical Execution Plan ==")[1])["nodes"]
    (scan,) = [node for node in nodes if "dynamicFilters=[k]" in node["contents"]]
    assert scan["pact"] == "Data Source"
    assert len(scan["predecessors"]) == 1


@pytest.mark.usefixtures("tables")
def test_nothing_is_read_if_the_other_side_is_empty(query: Query, tmp_path: Path) -> None:
    spoil(tmp_path, "k=1", *NOT_ONE)
    assert query("SELECT f.id FROM (SELECT * FROM d WHERE name = 'nobody') AS d LEFT JOIN f ON f.k = d.k") == []


@pytest.mark.usefixtures("tables")
def test_rows_without_a_partner_stay_in_an_outer_join(query: Query) -> None:
    text = "SELECT d.k, f.id FROM (SELECT * FROM d WHERE name = 'a') AS d LEFT JOIN f ON f.k = d.k"
    assert sorted(query(text), key=str) == [(1, 1), (1, 2), (9, None), (None, None)]
    assert len(query("SELECT f.id FROM f LEFT JOIN (SELECT * FROM d WHERE name = 'a') AS d ON f.k = d.k")) == 5


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    "join", ["NOT EXISTS (SELECT 1 FROM d WHERE d.k = f.k AND name = 'a')", "k NOT IN (SELECT k FROM d WHERE name = 'b')"]
)
def test_an_anti_join_reads_everything(env: Any, query: Query, join: str) -> None:
    text = f"SELECT id FROM f WHERE {join}"
    assert "dynamicFilters" not in env.explain_sql(text)
    env.get_config().set(OPTION, "false")
    expected = sorted(query(text))
    env.get_config().set(OPTION, "true")
    assert sorted(query(text)) == expected


@pytest.mark.usefixtures("tables")
def test_a_scan_that_others_read_too_is_whole(query: Query) -> None:
    text = """
        WITH x AS (SELECT id, k FROM f WHERE id > 0)
        SELECT x.id FROM x JOIN d ON x.k = d.k WHERE d.name = 'a' UNION ALL SELECT id + 10 FROM x
    """
    assert sorted(query(text)) == [(1,), (2,), (11,), (12,), (13,), (14,), (15,)]


@pytest.mark.usefixtures("tables")
def test_a_table_joined_with_itself_waits_on_one_side(query: Query) -> None:
    assert sorted(query("SELECT a.id, b.id FROM f AS a JOIN f AS b ON a.k = b.k WHERE b.id = 1")) == [(1, 1), (2, 1)]


@pytest.mark.usefixtures("tables")
def test_splits_of_a_connector_without_a_key_are_not_read(query: Query, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 0
    read = MemoryScan.read

    def counted(self: MemoryScan, split: Any) -> Iterator[pa.RecordBatch]:
        nonlocal rows
        rows += self.parts[split].num_rows if self.fields else 0
        return read(self, split)

    monkeypatch.setattr(MemoryScan, "read", counted)
    assert query("SELECT m.id FROM m JOIN d ON m.k = d.k WHERE d.name = 'a' ORDER BY m.id") == [(1,), (2,)]
    assert rows == 2


@pytest.mark.usefixtures("tables")
def test_too_many_keys_exclude_nothing(query: Query, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dynamic_filters, "MOST_VALUES", 1)
    assert query(BY_DIMENSION) == [(1,), (2,)]


@pytest.mark.usefixtures("tables")
def test_a_date_that_python_does_not_have_excludes_nothing() -> None:
    class Dates(dynamic_filters.Operator):
        def batches(self, context: Any) -> Iterator[pa.RecordBatch]:
            yield pa.record_batch([pa.array([5_000_000], pa.int32()).cast(pa.date32())], schema=self.schema)

    from table_runtime.run.execution import ExecutionContext

    (data,) = dynamic_filters.collect_filters([Dates(pa.schema([("day", pa.date32())]))], ExecutionContext())
    assert not data.is_filtering
    assert data.contains((None,))
