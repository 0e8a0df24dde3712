"""ML_PREDICT: its arguments, and what is wrong with a call, before a provider is asked."""

from __future__ import annotations

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.resolution.model_prediction import unique_output_names
from table_common.exceptions import TableError


def test_columns_that_the_table_has_get_a_number() -> None:
    assert unique_output_names(("a", "b", "b0"), ("b", "c", "a", "a0")) == ("b1", "c", "a0", "a00")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("TABLE t, MODEL n, DESCRIPTOR(b)", "Model .*n' does not exist"),
        ("TABLE t, MODEL m, DESCRIPTOR(a)", "The column 'a' of ML_PREDICT is INT, but model .* takes text STRING"),
        ("TABLE t, MODEL m, DESCRIPTOR(a, b)", "ML_PREDICT got 2 columns, but model .* takes 1: text STRING"),
        ("TABLE t, MODEL m, DESCRIPTOR(c)", "Column 'c' does not exist"),
        ("TABLE t, MODEL m, DESCRIPTOR(b), MAP['asnc', 'true']", "unknown: 'asnc'"),
        ("TABLE t, MODEL m, DESCRIPTOR(b), MAP['async', b]", "must be a map of constant texts"),
        ("TABLE t, MODEL m", "lacks the argument 'args'"),
        ("TABLE t PARTITION BY a, MODEL m, DESCRIPTOR(b)", "does not accept PARTITION BY"),
        ("TABLE t, MODEL m, ARGS => DESCRIPTOR(b)", "either all named or all positional"),
        ("INPUT => TABLE t, MODEL => MODEL m, COLUMNS => DESCRIPTOR(b)", "Argument 'COLUMNS' does not exist"),
        ("TABLE t, MODEL m, DESCRIPTOR(b)", "No model provider 'none-such' is installed"),
    ],
)
def test_what_is_wrong_with_a_call_is_said(call: str, message: str) -> None:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        env.execute_sql("CREATE TEMPORARY MODEL m INPUT (text STRING) OUTPUT (b STRING) WITH ('provider' = 'none-such')")
        env.execute_sql("CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES (1, 'x')) AS v (a, b)")
        with pytest.raises(TableError, match=message):
            env.sql_query(f"SELECT * FROM ML_PREDICT({call})")


@pytest.mark.parametrize("call", ["ML_EVALUATE(TABLE t, MODEL m, DESCRIPTOR(b))", "LATERAL TABLE(ML_EVALUATE(TABLE t, MODEL m))"])
def test_what_flink_does_not_have_is_refused_with_another_way(call: str) -> None:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        env.execute_sql("CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES (1, 'x')) AS v (a, b)")
        with pytest.raises(TableError, match=r"ML_EVALUATE does not exist, neither in Flink 2\.3 nor here"):
            env.sql_query(f"SELECT * FROM {call}")
