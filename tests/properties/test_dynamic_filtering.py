"""Runtime filters do not change results: random joins with and without the option, over files and a connector, on the embedded engine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.connectors.memory import drop_memory_table
from table_testing.rounds import rounds

OPTION = "table.optimizer.dynamic-filtering.enabled"
FACTS = ("f", "m")
DIMENSIONS = ("d", "f", "m")
JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
CONDITIONS = (
    "{one}.k = {two}.k",
    "{one}.k = {two}.k AND {one}.s = {two}.s",
    "{one}.s = {two}.s",
    "{one}.k = {two}.id",
    "{one}.k = {two}.k + 1",
)
FILTERS = ("id > 3", "v < 0.3", "s = 'a'", "k IS NOT NULL", "k IN (1, 2)", "id < 0", "v > 0.8 OR s IS NULL")


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableEnvironment]:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    env.get_config().set("table.dml-sync", "true")
    draw = random.Random(11)
    folder: Path = tmp_path_factory.mktemp("facts")
    for name, key, keys, connector, count in (
        ("f", "INT", "PARTITIONED BY (k, s)", f"'filesystem', 'path' = '{folder}', 'format' = 'parquet'", 40),
        ("m", "SMALLINT", "PARTITIONED BY (k, s)", "'memory', 'name' = 'waiting'", 40),
        ("d", "BIGINT", "", "'memory', 'name' = 'waited-for'", 12),
    ):
        env.execute_sql(f"CREATE TABLE {name} (id INT, v DOUBLE, k {key}, s STRING) {keys} WITH ('connector' = {connector})")
        rows = []
        for number in range(count):
            k = draw.choice(("1", "2", "3", "4", "NULL"))
            s = draw.choice(("'a'", "'b'", "'c'", "NULL"))
            rows.append(f"({number % 9}, {number / count}e0, CAST({k} AS {key}), CAST({s} AS STRING))")
        env.execute_sql(f"INSERT INTO {name} VALUES {', '.join(rows)}")
    yield env
    env.close()
    drop_memory_table("waiting")
    drop_memory_table("waited-for")


def query(draw: random.Random) -> str:
    def side(tables: tuple[str, ...]) -> str:
        where = f" WHERE {draw.choice(FILTERS)}" if draw.random() < 0.7 else ""
        limited = " ORDER BY id, v FETCH FIRST 5 ROWS ONLY" if draw.random() < 0.1 else ""
        shape = draw.random()
        if shape < 0.1:
            return f"(SELECT DISTINCT id, v, k, s FROM {draw.choice(tables)}{where})"
        if shape < 0.2:
            return f"(SELECT MIN(id) AS id, MAX(v) AS v, k, s FROM {draw.choice(tables)}{where} GROUP BY k, s)"
        return f"(SELECT * FROM {draw.choice(tables)}{where}{limited})"

    condition = draw.choice(CONDITIONS)
    if draw.random() < 0.3:
        negation = draw.choice(("", "NOT "))
        inner = condition.format(one="a", two="b")
        text = f"SELECT a.id, a.v, a.k, a.s FROM {side(FACTS)} AS a WHERE {negation}EXISTS (SELECT 1 FROM {side(DIMENSIONS)} AS b WHERE {inner})"
    else:
        one, two = draw.choice((("a", "b"), ("b", "a")))
        text = (
            f"SELECT a.id, a.v, b.id, b.v, a.k, b.s FROM {side(FACTS)} AS a "
            f"{draw.choice(JOINS)} {side(DIMENSIONS)} AS b ON {condition.format(one=one, two=two)}"
        )
    if draw.random() < 0.4:
        text = f"SELECT q.*, c.id AS cid FROM ({text}) AS q(i, v, {'k, s' if 'EXISTS' in text else 'j, w, k, s'}) JOIN {side(DIMENSIONS)} AS c ON c.k = q.k"
    return text


def rows(env: TableEnvironment, text: str, enabled: str) -> list[str]:
    env.get_config().set(OPTION, enabled)
    return sorted(repr(list(row)) for row in env.execute_sql(text).collect())


def test_rows_are_the_same_with_and_without_runtime_filters(env: TableEnvironment, size: int, seed: int) -> None:
    draw = random.Random(seed)
    waited = 0
    count = len(rounds(75)) * size
    for _ in range(count):
        text = query(draw)
        assert rows(env, text, "true") == rows(env, text, "false"), text
        env.get_config().set(OPTION, "true")
        waited += "dynamicFilters" in env.explain_sql(text)
    assert waited > count / 8  # enough queries have a runtime filter
