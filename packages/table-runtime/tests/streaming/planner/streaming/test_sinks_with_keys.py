"""Streaming INSERT into tables with a primary key, on the embedded engine."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableException, ValidationException

SEED = random.randrange(1 << 32)


def environment(path: Path, *, streaming: bool) -> TableEnvironment:
    settings = EnvironmentSettings.new_instance()
    settings = settings.in_streaming_mode() if streaming else settings.in_batch_mode()
    env = TableEnvironment.create(settings.with_planner("arrow").build())
    env.execute_sql(f"CREATE TABLE t (id INT, s STRING) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'debezium-json')")
    name = f"{path.stem}_{streaming}"
    env.execute_sql(f"CREATE TABLE k (s STRING, n BIGINT, PRIMARY KEY (s) NOT ENFORCED) WITH ('connector' = 'memory', 'name' = '{name}')")
    return env


def written(path: Path, sql: str, *, streaming: bool) -> list[Any]:
    with environment(path, streaming=streaming) as env:
        env.execute_sql(sql).wait()
        with env.execute_sql("SELECT * FROM k").collect() as rows:
            last = {row[0]: row[1] for row in rows}
        return sorted(last.items())


def change_file(path: Path, chance: random.Random) -> Path:
    present: list[dict[str, Any]] = []
    lines = []
    for _ in range(60):
        if present and chance.random() < 0.4:
            lines.append({"before": present.pop(chance.randrange(len(present))), "after": None, "op": "d"})
        else:
            present.append({"id": chance.randrange(6), "s": chance.choice("abc")})
            lines.append({"before": None, "after": present[-1], "op": "c"})
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.fixture
def env(tmp_path: Path) -> Iterator[TableEnvironment]:
    path = tmp_path / f"changes{SEED}.json"
    path.write_text(
        "\n".join(
            [
                '{"before":null,"after":{"id":1,"s":"a"},"op":"c"}',
                '{"before":null,"after":{"id":2,"s":"a"},"op":"c"}',
                '{"before":{"id":2,"s":"a"},"after":null,"op":"d"}',
            ]
        )
    )
    with environment(path, streaming=True) as env:
        yield env


def table(env: TableEnvironment) -> list[list[Any]]:
    with env.execute_sql("SELECT * FROM k").collect() as rows:
        return sorted(list(row) for row in rows)


def test_an_upsert_key_outside_the_primary_key_requires_on_conflict(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match=r"primary key \(s\), but the query has no upsert key: .* are updated by TableScan"):
        env.execute_sql("INSERT INTO k SELECT s, CAST(id AS BIGINT) FROM t")


def test_deduplicate_restores_the_previous_row_after_a_retraction(env: TableEnvironment) -> None:
    env.execute_sql("INSERT INTO k SELECT s, CAST(id AS BIGINT) FROM t ON CONFLICT DO DEDUPLICATE").wait()
    assert table(env) == [["a", 1]]


def test_without_on_conflict_the_last_row_is_written_if_the_option_allows_it(env: TableEnvironment) -> None:
    env.execute_sql("SET 'table.exec.sink.require-on-conflict' = 'false'")
    env.execute_sql("INSERT INTO k SELECT s, CAST(id AS BIGINT) FROM t").wait()
    assert table(env) == [["a", 1]]


def test_a_matching_key_needs_no_materializer(env: TableEnvironment) -> None:
    assert "upsertMaterialize" not in env.explain_sql("INSERT INTO k SELECT s, COUNT(*) FROM t GROUP BY s")


def test_force_always_materializes(env: TableEnvironment) -> None:
    env.execute_sql("SET 'table.exec.sink.upsert-materialize' = 'FORCE'")
    plan = env.explain_sql("INSERT INTO k SELECT s, COUNT(*) FROM t GROUP BY s")
    assert "upsertMaterialize=[true]" in plan
    assert "SinkMaterialize(key=[s])" in plan


def test_nothing_and_error_require_watermarks(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="ON CONFLICT DO NOTHING waits for event time"):
        env.execute_sql("INSERT INTO k SELECT s, CAST(id AS BIGINT) FROM t ON CONFLICT DO NOTHING")


def test_on_conflict_is_refused_without_primary_key(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TABLE m (s STRING, n BIGINT) WITH ('connector' = 'print')")
    with pytest.raises(ValidationException, match="needs a primary key, and table"):
        env.execute_sql("INSERT INTO m SELECT s, COUNT(*) FROM t GROUP BY s ON CONFLICT DO DEDUPLICATE")


def test_on_conflict_is_refused_in_batch_mode(tmp_path: Path) -> None:
    path = change_file(tmp_path / f"batch{SEED}.json", random.Random(SEED))
    with pytest.raises(TableException, match="ON CONFLICT DO DEDUPLICATE needs changelogs, which exist in streaming mode only"):
        written(path, "INSERT INTO k SELECT s, COUNT(*) FROM t GROUP BY s ON CONFLICT DO DEDUPLICATE", streaming=False)


def test_random_changes_produce_the_same_table_as_batch_mode(tmp_path: Path) -> None:
    print("seed", SEED)
    for number in range(5):
        path = change_file(tmp_path / f"random{SEED}{number}.json", random.Random(SEED + number))
        inserted = "INSERT INTO k SELECT s, COUNT(*) FROM t GROUP BY s"
        assert written(path, inserted, streaming=True) == written(path, inserted, streaming=False)


def test_a_deletion_with_only_the_key_of_the_query_deletes_the_row_of_the_primary_key(tmp_path: Path) -> None:
    path = tmp_path / f"by_key{SEED}.json"
    events = [
        {"before": None, "after": {"id": 1, "s": "a"}, "op": "c"},
        {"before": None, "after": {"id": 2, "s": "b"}, "op": "c"},
        {"before": {"id": 1}, "after": None, "op": "d"},
    ]
    path.write_text("\n".join(map(json.dumps, events)))
    with environment(path, streaming=True) as env:
        options = f"'connector' = 'filesystem', 'path' = '{path}', 'format' = 'debezium-json'"
        env.execute_sql(f"CREATE TABLE keyed (id INT PRIMARY KEY NOT ENFORCED, s STRING) WITH ({options})")
        env.execute_sql("INSERT INTO k SELECT s, CAST(id AS BIGINT) FROM keyed ON CONFLICT DO DEDUPLICATE").wait()
        assert table(env) == [["b", 2]]


def test_a_changelog_format_writes_the_changes_of_any_key_as_they_are(env: TableEnvironment, tmp_path: Path) -> None:
    columns = "s STRING, n BIGINT, PRIMARY KEY (n) NOT ENFORCED"
    env.execute_sql(f"CREATE TABLE c ({columns}) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/c', 'format' = 'debezium-json')")
    insert = "INSERT INTO c SELECT s, COUNT(*) FROM t GROUP BY s"
    assert "upsertMaterialize" not in env.explain_sql(insert)
    env.execute_sql(insert).wait()
    lines = [json.loads(line) for path in (tmp_path / "c").iterdir() if path.is_file() for line in path.read_text().splitlines()]
    images = [(line["op"], (line["before"] or line["after"])["n"]) for line in lines]
    assert images == [("c", 1), ("d", 1), ("c", 2), ("d", 2), ("c", 1)]
    with pytest.raises(
        ValidationException, match=r"requires a sink that stores rows by their key, and table .*c writes every change as it is"
    ):
        env.explain_sql(f"{insert} ON CONFLICT DO DEDUPLICATE")
