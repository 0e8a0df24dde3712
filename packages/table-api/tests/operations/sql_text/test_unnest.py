"""UNNEST, table functions and searches as SQL: the text is read back to the same text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations.sql_text import query_text


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        env.execute_sql("CREATE TABLE v (label STRING, e ARRAY<FLOAT>) WITH ('connector' = 'none-such')")
        env.execute_sql("CREATE TABLE t (id INT, e ARRAY<DOUBLE>, xs ARRAY<INT>) WITH ('connector' = 'none-such')")
        yield env


@pytest.mark.parametrize(
    ("sql", "part"),
    [
        ("SELECT id, x FROM t CROSS JOIN UNNEST(xs) AS u (x)", "CROSS JOIN UNNEST("),
        ("SELECT id, x, n FROM t CROSS JOIN UNNEST(xs) WITH ORDINALITY AS u (x, n)", "WITH ORDINALITY"),
        (
            "SELECT id, s.label FROM t, LATERAL TABLE(VECTOR_SEARCH(TABLE v, DESCRIPTOR(e), t.e, 2)) AS s",
            "CROSS JOIN LATERAL TABLE(VECTOR_SEARCH(",
        ),
        (
            "SELECT id, s.score FROM t LEFT JOIN LATERAL TABLE(VECTOR_SEARCH(TABLE v, DESCRIPTOR(e), t.e, 2, MAP['metric', 'l2'])) AS s ON TRUE",
            "top_k => 2, config => MAP['metric', 'l2']",
        ),
        ("SELECT label FROM TABLE(VECTOR_SEARCH(TABLE v, DESCRIPTOR(e), ARRAY[1.0, 2.0], 2))", "column_to_query => "),
    ],
)
def test_the_text_is_read_back(env: TableEnvironment, sql: str, part: str) -> None:
    text = query_text(env.sql_query(sql)._operation, env.session.functions.sql_name)
    assert part in text
    assert query_text(env.sql_query(text)._operation, env.session.functions.sql_name) == text
