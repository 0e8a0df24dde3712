"""VECTOR_SEARCH: its arguments, and what is wrong with a call, before a source is created."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.in_streaming_mode()) as env:
        env.execute_sql("""
            CREATE TABLE v (label STRING, e ARRAY<FLOAT>, score INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'none-such')
        """)
        env.execute_sql("CREATE TABLE computed (e ARRAY<FLOAT>, n AS CARDINALITY(e)) WITH ('connector' = 'none-such')")
        env.execute_sql("CREATE TEMPORARY VIEW q AS SELECT * FROM (VALUES (1, ARRAY[1.0E0, 2.0E0], 'x')) AS t (id, e, label)")
        yield env


@pytest.mark.parametrize(
    "call",
    [
        "TABLE v, DESCRIPTOR(e), q.e, 2",
        "TABLE v, q.e, DESCRIPTOR(e), 2",
        "TABLE v, DESCRIPTOR(e), ARRAY[1, 2], 2, MAP['async', 'false']",
        "top_k => 2, SEARCH_TABLE => TABLE v, COLUMN_TO_QUERY => q.e, COLUMN_TO_SEARCH => DESCRIPTOR(e)",
    ],
)
def test_the_columns_of_the_table_come_with_the_score(env: TableEnvironment, call: str) -> None:
    table = env.sql_query(f"SELECT s.* FROM q, LATERAL TABLE(VECTOR_SEARCH({call})) AS s")
    schema = table.get_resolved_schema()
    assert schema.column_names == ("label", "e", "score", "ts", "score0")
    assert str(schema.columns[-1].data_type) == "DOUBLE"


def test_a_left_join_keeps_rows_without_matches(env: TableEnvironment) -> None:
    text = env.sql_query("SELECT * FROM q LEFT JOIN LATERAL TABLE(VECTOR_SEARCH(TABLE v, DESCRIPTOR(e), q.e, 2)) ON TRUE")._operation
    assert "LeftOuterJoin" in str(text) or "keeps_empty=True" in repr(text)


def test_the_text_of_a_search_is_the_search_again(env: TableEnvironment) -> None:
    from table_api.operations.sql_text import query_text

    sql = "SELECT q.id, s.score0 FROM q LEFT JOIN LATERAL TABLE(VECTOR_SEARCH(TABLE v, DESCRIPTOR(e), q.e, 2, MAP['async', 'false'])) AS s ON TRUE"
    text = query_text(env.sql_query(sql)._operation, env.session.functions.sql_name)
    assert "VECTOR_SEARCH(search_table => TABLE `default_catalog`.`default_database`.`v`" in text
    assert query_text(env.sql_query(text)._operation, env.session.functions.sql_name) == text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("TABLE v, DESCRIPTOR(e), q.e", "VECTOR_SEARCH lacks the argument 'top_k'"),
        ("TABLE v, DESCRIPTOR(e), q.e, 0", "The argument 'top_k' of VECTOR_SEARCH must be a positive integer literal"),
        ("TABLE v, DESCRIPTOR(e), q.e, q.id", "The argument 'top_k' of VECTOR_SEARCH must be a positive integer literal"),
        ("TABLE v, DESCRIPTOR(e), q.e, '2'", "The argument 'top_k' of VECTOR_SEARCH must be a positive integer literal"),
        (
            "TABLE v, DESCRIPTOR(e), q.label, 2",
            "The argument 'column_to_query' of VECTOR_SEARCH must be a vector like 'e', ARRAY<FLOAT> or of other numbers, but it is",
        ),
        (
            "TABLE v, DESCRIPTOR(label), q.e, 2",
            "The argument 'column_to_search' of VECTOR_SEARCH must be a column of vectors, .* but 'label' is STRING",
        ),
        (
            "TABLE v, DESCRIPTOR(f), q.e, 2",
            "Column 'f' does not exist in default_catalog.default_database.v, the search table of VECTOR_SEARCH",
        ),
        ("TABLE v, DESCRIPTOR(e, label), q.e, 2", "must name one column of vectors"),
        ("TABLE v, 'e', q.e, 2", "must name one column of vectors"),
        ("TABLE w, DESCRIPTOR(e), q.e, 2", "'w' does not exist"),
        ("'v', DESCRIPTOR(e), q.e, 2", "The argument 'search_table' of VECTOR_SEARCH must be a table"),
        ("TABLE v PARTITION BY label, DESCRIPTOR(e), q.e, 2", "The argument 'search_table' of VECTOR_SEARCH must be a table"),
        (
            "(SELECT * FROM v WHERE label = 'a'), DESCRIPTOR(e), q.e, 2",
            "'search_table' of VECTOR_SEARCH must be a table with columns of its own",
        ),
        ("TABLE q, DESCRIPTOR(e), q.e, 2", "'search_table' of VECTOR_SEARCH must be a table with columns of its own"),
        ("TABLE computed, DESCRIPTOR(e), q.e, 2", "'search_table' of VECTOR_SEARCH must be a table with columns of its own"),
        ("TABLE v, DESCRIPTOR(e), q.e, 2, MAP['async', label]", "The argument 'config' of VECTOR_SEARCH must be a map of constant texts"),
        ("TABLE v, DESCRIPTOR(e), q.f, 2", "'f'"),
        ("SEARCH_TABLE => TABLE v, INDEX_ => DESCRIPTOR(e), COLUMN_TO_QUERY => q.e, TOP_K => 2", "Argument 'INDEX_' does not exist"),
    ],
)
def test_what_is_wrong_with_a_call_is_said(env: TableEnvironment, call: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        env.sql_query(f"SELECT * FROM q, LATERAL TABLE(VECTOR_SEARCH({call}))")
