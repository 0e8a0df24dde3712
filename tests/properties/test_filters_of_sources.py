"""Filters that a source accepts select the same rows as the engine: columns of all types with constants of all types.

Without push-down means with ``table.optimizer.source.predicate-pushdown-enabled`` off. DELETE and UPDATE ask the sink; they are compared with what
such a query finds.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from typed_conditions import Column, columns_of, conditions_over

from connector_sqlite.storage import storage_class
from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import ProjectQueryOperation, QueryOperation, SourceQueryOperation
from table_api.plan.rules.create_sources import create_sources
from table_api.plan.rules.fold_constants import fold_constants
from table_common.connector.source.abilities import SupportsFilterPushDown, SupportsProjectionPushDown
from table_common.expressions import ResolvedExpression
from table_common.tree import preorder
from table_common.types import RowType, parse_logical_type
from table_runtime.connectors.memory import drop_memory_table, put_memory_table
from table_testing.connector_case import read_rows
from table_testing.rounds import rounds

OPTION = "table.optimizer.source.predicate-pushdown-enabled"
AT_ONCE = 40
"""The number of conditions per statement."""
COLUMNS = columns_of()
IDS = set(range(max(len(column.values) for column in COLUMNS) + 1))


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    """An environment with a memory table ``t`` of all types; the other tables are copies of it."""
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    env.get_config().set("table.dml-sync", "true").set("table.local-time-zone", "UTC")
    declare(env, "t", "'connector' = 'memory', 'name' = 'typed'")
    fill(env, "t")
    yield env
    env.close()
    drop_memory_table("typed")


def declare(env: TableEnvironment, name: str, options: str, columns: Sequence[Column] = COLUMNS, key: str = "") -> None:
    types = ", ".join(f"{column.name} {column.type}" for column in columns)
    env.execute_sql(f"CREATE TABLE {name} (id INT, {types}{key}) WITH ({options})")


def fill(env: TableEnvironment, name: str, columns: Sequence[Column] = COLUMNS) -> None:
    """Writes a row for each value, and one of NULLs."""
    rows = []
    for number in range(max(len(column.values) for column in columns) + 1):
        cells = [column.values[number] if number < len(column.values) else "NULL" for column in columns]
        values = ", ".join(f"CAST({cell} AS {column.type})" for cell, column in zip(cells, columns, strict=True))
        rows.append(f"({number}, {values})")
    env.execute_sql(f"INSERT INTO {name} VALUES {', '.join(rows)}")


def copy_to_sqlite(env: TableEnvironment, name: str, path: Path, key: str = "") -> None:
    kept = ", ".join(f"{column.name} {storage_class(parse_logical_type(column.type))}" for column in COLUMNS)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, {kept})")
    declare(env, name, f"'connector' = 'sqlite', 'path' = '{path}', 'table-name' = 't'", key=key)
    env.execute_sql(f"INSERT INTO {name} {rows_for(name)}")


def rows_for(name: str) -> str:
    """Returns a query for the rows of a copy of ``t``; SQLite does not support NaN."""
    if name not in ("sqlite", "typed"):
        return "SELECT * FROM t"
    columns = [f"CASE WHEN {c.name} = {c.name} THEN {c.name} END" if c.type in ("FLOAT", "DOUBLE") else c.name for c in COLUMNS]
    return f"SELECT id, {', '.join(columns)} FROM t"


def filtered(filters: pc.Expression | None = None) -> pa.Table:
    """Returns the rows of ``TYPED_ROWS``; called by the connector ``python``."""
    return TYPED_ROWS[0] if filters is None else TYPED_ROWS[0].filter(filters)


TYPED_ROWS: list[pa.Table] = []
Conditions = Sequence[str]


def truths(env: TableEnvironment, table: str, conditions: Conditions) -> dict[str, list[int]]:
    """Returns the rows for which the engine evaluates a condition to TRUE."""
    env.get_config().set(OPTION, "false")
    found: dict[str, list[int]] = {}
    for start in range(0, len(conditions), AT_ONCE):
        part = conditions[start : start + AT_ONCE]
        rows = list(env.execute_sql(projection(table, part)).collect())
        found |= {condition: sorted(row[0] for row in rows if row[number] is True) for number, condition in enumerate(part, 1)}
    return found


def projection(table: str, conditions: Conditions) -> str:
    return f"SELECT id, {', '.join(f'{condition} AS b{number}' for number, condition in enumerate(conditions))} FROM {table}"


def kept(env: TableEnvironment, table: str, conditions: Conditions, *, pushed: bool = True) -> dict[str, list[int]]:
    """Returns the rows of a query with a condition."""
    env.get_config().set(OPTION, str(pushed).lower())
    found: dict[str, list[int]] = {}
    for start in range(0, len(conditions), AT_ONCE):
        part = conditions[start : start + AT_ONCE]
        queries = [f"SELECT {number} AS n, id FROM {table} WHERE {condition}" for number, condition in enumerate(part)]
        rows = [tuple(row) for row in env.execute_sql(" UNION ALL ".join(queries)).collect()]
        found |= {condition: sorted(row for number, row in rows if number == position) for position, condition in enumerate(part)}
    return found


def drawn(size: int, seed: int, count: int, columns: Sequence[Column] = COLUMNS) -> list[str]:
    """Returns conditions: this number at night, times the property size; 0: some for each pair of a column and a constant."""
    draw = random.Random(seed)
    conditions = list(dict.fromkeys(conditions_over(columns, draw, size)))
    return conditions if count == 0 else draw.sample(conditions, min(len(rounds(count)) * size, len(conditions)))


def pushed_to(env: TableEnvironment, table: str, conditions: Conditions) -> dict[str, list[int]]:
    """Returns the rows of a table's source for each condition that it fully accepts, read without an engine."""
    found = {}
    context = env.session.rule_context()
    for start in range(0, len(conditions), AT_ONCE):
        part = conditions[start : start + AT_ONCE]
        plan = create_sources(fold_constants(env.sql_query(projection(table, part)).query_operation, context), context)
        scan = next(node for node in preorder(plan, QueryOperation) if isinstance(node, SourceQueryOperation))
        assert isinstance(plan, ProjectQueryOperation)
        for condition, expression in zip(part, plan.projection[1:], strict=True):
            ids = ids_of(scan, expression)
            if ids is not None:
                found[condition] = ids
    return found


def ids_of(scan: SourceQueryOperation, condition: ResolvedExpression) -> list[int] | None:
    assert scan.source is not None
    source = scan.source.copy()
    assert isinstance(source, SupportsFilterPushDown)
    assert isinstance(source, SupportsProjectionPushDown)
    if source.apply_filters([condition]).remaining_filters:
        return None
    only = RowType(scan.physical_schema.to_physical_row_type().fields[:1], nullable=False)
    source.apply_projection([(0,)], only)
    return sorted(row[0] for row in read_rows(source, only))


@pytest.fixture(params=["memory", "from_arrow", "sqlite"])
def table(request: pytest.FixtureRequest, env: TableEnvironment, tmp_path: Path) -> str:
    """A table whose source can be read without an engine."""
    name: str = request.param
    if name == "memory":
        return "t"
    if name == "sqlite":
        copy_to_sqlite(env, name, tmp_path / "typed.db")
    else:
        env.create_temporary_view(name, env.from_arrow(env.sql_query("SELECT * FROM t").to_arrow()))
    return name


def test_a_source_returns_exactly_the_rows_that_satisfy_an_accepted_filter(env: TableEnvironment, table: str, size: int, seed: int) -> None:
    conditions = drawn(size, seed, 0)
    found = pushed_to(env, table, conditions)
    assert len(found) > len(conditions) / 15
    expected = truths(env, table, list(found))
    for condition, ids in found.items():
        assert ids == expected[condition], condition


@pytest.mark.parametrize("name", ["memory", "sqlite", "parquet", "orc", "python"])
def test_a_query_returns_the_same_rows_with_and_without_push_down(
    env: TableEnvironment, name: str, size: int, seed: int, tmp_path: Path
) -> None:
    columns = make_table(env, name, tmp_path)
    conditions = drawn(size, seed, 200, columns)
    on, off = kept(env, name, conditions), kept(env, name, conditions, pushed=False)
    for condition in conditions:
        assert on[condition] == off[condition], condition


def make_table(env: TableEnvironment, name: str, folder: Path) -> Sequence[Column]:
    """Makes a temporary copy of ``t`` and returns its columns."""
    columns = COLUMNS if name != "orc" else columns_of("TIME(0)", "TIME(3)", "TIMESTAMP(4)")
    rows = env.sql_query(f"SELECT id, {', '.join(column.name for column in columns)} FROM t").to_arrow()
    if name == "memory":
        declare(env, name, "'connector' = 'memory', 'name' = 'typed copy'")
        put_memory_table("typed copy", rows)
    elif name == "sqlite":
        copy_to_sqlite(env, name, folder / "typed.db", ", PRIMARY KEY (id) NOT ENFORCED")
    elif name == "python":
        TYPED_ROWS[:] = [rows]
        declare(env, name, f"'connector' = 'python', 'callable' = '{__name__}:filtered'")
    else:
        declare(env, name, f"'connector' = 'filesystem', 'path' = '{folder}', 'format' = '{name}'", columns)
        if name == "parquet":  # statistics of single rows prune as much as possible
            pq.write_table(rows, folder / "typed.parquet", row_group_size=1)
        else:
            env.execute_sql(f"INSERT INTO {name} SELECT {', '.join(rows.column_names)} FROM t")
    return columns


@pytest.mark.parametrize("connector", ["memory", "filesystem"])
def test_a_query_over_partitions_returns_the_same_rows_as_over_columns(
    env: TableEnvironment, connector: str, size: int, seed: int, tmp_path: Path
) -> None:
    for column in columns_of("BINARY(2)", "VARBINARY(3)", "BYTES", "CHAR(3)", "VARCHAR(3)", "STRING", "TIME(3)", "FLOAT"):
        options = f"'name' = '{column.name}'" if connector == "memory" else f"'path' = '{tmp_path}/{column.name}', 'format' = 'parquet'"
        env.execute_sql(
            f"CREATE TABLE parts (id INT, {column.name} {column.type}) PARTITIONED BY ({column.name}) "
            f"WITH ('connector' = '{connector}', {options})"
        )
        env.execute_sql(f"INSERT INTO parts SELECT id, {column.name} FROM t")
        conditions = drawn(size, seed, 20, [column])
        expected = truths(env, "t", conditions)
        for condition, ids in kept(env, "parts", conditions).items():
            assert ids == expected[condition], f"{condition} over {column.type}"
        env.execute_sql("DROP TABLE parts")
        drop_memory_table(column.name)


@pytest.mark.parametrize("name", ["memory", "sqlite"])
def test_a_deletion_deletes_the_rows_of_a_query_without_push_down(
    env: TableEnvironment, name: str, size: int, seed: int, tmp_path: Path
) -> None:
    make_table(env, name, tmp_path)
    conditions = drawn(size, seed, 60)
    expected = truths(env, name, conditions)
    for condition in conditions:
        env.execute_sql(f"DELETE FROM {name} WHERE {condition}")
        left = {row[0] for row in env.execute_sql(f"SELECT id FROM {name}").collect()}
        assert left == IDS - set(expected[condition]), condition
        if left != IDS:
            env.execute_sql(f"INSERT INTO {name} {rows_for(name)} WHERE id NOT IN ({', '.join(map(str, left | {-1}))})")


@pytest.mark.parametrize("name", ["memory", "sqlite"])
def test_an_update_changes_the_rows_of_a_query_without_push_down(
    env: TableEnvironment, name: str, size: int, seed: int, tmp_path: Path
) -> None:
    make_table(env, name, tmp_path)
    changed = next(column for column in COLUMNS if column.type == "INT").name
    conditions = drawn(size, seed, 30)
    expected = truths(env, name, conditions)
    for condition in conditions:
        env.execute_sql(f"UPDATE {name} SET {changed} = 77 WHERE {condition}")
        assert {row[0] for row in env.execute_sql(f"SELECT id FROM {name} WHERE {changed} = 77").collect()} == set(expected[condition]), (
            condition
        )
        env.execute_sql(f"DELETE FROM {name}")
        env.execute_sql(f"INSERT INTO {name} {rows_for(name)}")


def test_spark_returns_the_same_rows_as_the_embedded_engine_without_push_down(
    env: TableEnvironment, spark: Any, size: int, seed: int, tmp_path: Path
) -> None:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("spark").build()
    on_spark = TableEnvironment.create(settings, external={"spark": spark})
    on_spark.get_config().set("table.local-time-zone", "UTC")
    columns = columns_of("TIME(0)", "TIME(3)", "TIMESTAMP(9)")
    pq.write_table(env.sql_query("SELECT * FROM t").to_arrow(), tmp_path / "typed.parquet", row_group_size=1)
    copy_to_sqlite(env, "typed", tmp_path / "typed.db")
    declare(on_spark, "parquet", f"'connector' = 'filesystem', 'path' = '{tmp_path}/typed.parquet', 'format' = 'parquet'", columns)
    declare(on_spark, "sqlite", f"'connector' = 'sqlite', 'path' = '{tmp_path}/typed.db', 'table-name' = 't'", columns)
    declare(on_spark, "memory", "'connector' = 'memory', 'name' = 'typed'", columns)
    for name, count in (("parquet", 50), ("memory", 10), ("sqlite", 10)):  # files have Spark's own readers and push-down
        conditions = drawn(size, seed, count, columns)
        expected = truths(env, "t" if name != "sqlite" else "typed", conditions)
        for condition, ids in kept(on_spark, name, conditions).items():
            assert ids == expected[condition], f"{name}: {condition}"
    on_spark.close()
