"""Options of a session that change what a query means."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment, ValidationException

JOIN = "SELECT /*+ {hint} */ a.x FROM (VALUES 1) AS a(x) JOIN (VALUES 1) AS b(x) ON a.x = b.x"


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    with TableEnvironment.create(settings) as environment:
        yield environment


def _rows(env: TableEnvironment, sql: str) -> list[tuple[object, ...]]:
    with env.execute_sql(sql).collect() as rows:
        return [tuple(row) for row in rows]


def test_sort_without_limit_gets_the_default_limit(env: TableEnvironment) -> None:
    env.execute_sql("SET 'table.exec.sort.default-limit' = '2'")
    query = "SELECT x FROM (VALUES 3, 1, 2) AS t(x) ORDER BY x"
    assert _rows(env, query) == [(1,), (2,)]
    assert _rows(env, query + " LIMIT 3") == [(1,), (2,), (3,)]


@pytest.mark.parametrize("hint", ["BROADCAST(b)", "shuffle_hash(a, b)", "STATE_TTL('a' = '1d')", "NEST_LOOP(a)"])
def test_hint_that_names_joined_tables_is_taken(env: TableEnvironment, hint: str) -> None:
    assert _rows(env, JOIN.format(hint=hint)) == [(1,)]


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        ("BROADCAST(no_such_table)", "Table 'no_such_table' does not exist in the hint BROADCAST. Available: a, b"),
        ("SHUFFLE_HASH(a, nope)", "Table 'nope' does not exist in the hint SHUFFLE_HASH"),
        ("STATE_TTL('zz' = '1d')", "The hint STATE_TTL names 'zz', which is no table"),
        ("STATE_TTL('a' = 'soon')", "Invalid STATE_TTL hint value: 'soon' is not a duration"),
        ("BROADCAST", "The hint BROADCAST names no table"),
        ("BROADCAT(a)", "Hint 'BROADCAT' does not exist. Did you mean 'BROADCAST'"),
    ],
)
def test_wrong_hint_is_refused(env: TableEnvironment, hint: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message.replace("(", r"\(")):
        env.execute_sql(JOIN.format(hint=hint))


def test_hint_of_a_single_table_may_name_anything_as_in_flink(env: TableEnvironment) -> None:
    assert _rows(env, "SELECT /*+ BROADCAST(zz) */ x FROM (VALUES 1) AS a(x)") == [(1,)]


def test_options_hint_can_be_switched_off(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TABLE g (a INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
    query = "SELECT COUNT(*) FROM g /*+ OPTIONS('number-of-rows' = '3') */"
    assert _rows(env, query) == [(3,)]
    env.execute_sql("SET 'table.dynamic-table-options.enabled' = 'false'")
    with pytest.raises(ValidationException, match="The hint OPTIONS is switched off"):
        env.execute_sql(query)
    with pytest.raises(ValidationException, match="The hint OPTIONS is switched off"):
        env.execute_sql("INSERT INTO g /*+ OPTIONS('number-of-rows' = '3') */ SELECT 1")


@pytest.mark.parametrize(
    ("strategies", "columns"),
    [
        ("", ["a", "file.path", "size"]),
        ("EXCLUDE_DEFAULT_VIRTUAL_METADATA_COLUMNS", ["a", "size"]),
        ("EXCLUDE_ALIASED_VIRTUAL_METADATA_COLUMNS", ["a", "file.path"]),
        ("EXCLUDE_ALIASED_VIRTUAL_METADATA_COLUMNS;EXCLUDE_DEFAULT_VIRTUAL_METADATA_COLUMNS", ["a"]),
    ],
)
def test_star_leaves_out_virtual_metadata_columns(env: TableEnvironment, strategies: str, columns: list[str]) -> None:
    env.execute_sql(
        "CREATE TABLE f (a INT, `file.path` STRING METADATA VIRTUAL, size BIGINT METADATA FROM 'file.size' VIRTUAL) "
        "WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '/nowhere')"
    )
    env.execute_sql(f"SET 'table.column-expansion-strategy' = '{strategies}'")
    assert list(env.sql_query("SELECT * FROM f").get_schema().get_field_names()) == columns
    assert list(env.sql_query("SELECT t.* FROM f AS t").get_schema().get_field_names()) == columns
    assert list(env.sql_query("SELECT size FROM f").get_schema().get_field_names()) == ["size"]
