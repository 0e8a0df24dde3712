"""Where the tasks of a streaming job write its sinks."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(("source", "is_divided"), [("t", True), ("bounded", False)])
def test_rows_are_divided_by_the_key_of_a_sink_only_where_inputs_do_not_end(watched: Any, source: str, is_divided: bool) -> None:
    env = watched.env
    env.execute_sql(
        f"CREATE TABLE bounded (k INT, v INT) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{watched.folder / 'in'}')"
    )
    options = f"'connector' = 'filesystem', 'format' = 'debezium-json', 'path' = '{watched.folder / 'sizes'}'"
    env.execute_sql(f"CREATE TABLE sizes (n BIGINT, k INT, PRIMARY KEY (n) NOT ENFORCED) WITH ({options})")
    env.get_config().set("table.exec.sink.upsert-materialize", "NONE").set("table.exec.sink.require-on-conflict", "false")
    text = env.explain_sql(f"INSERT INTO sizes SELECT COUNT(*) AS n, k FROM {source} GROUP BY k")
    levels = text[text.index("One Spark job per epoch") :]
    assert ("output 0 by hash[n]" in levels) is is_divided
