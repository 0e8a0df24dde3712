"""Expressions as Spark SQL."""

from __future__ import annotations

import pytest

from table_common.exceptions import TableException
from table_common.expressions import CallExpression, FieldReferenceExpression
from table_common.functions.builtin import comparison
from table_common.types import BooleanType, IntType, TimeType
from table_planner_spark.expressions.converter import to_spark_sql


def test_a_column_has_the_name_of_its_input() -> None:
    columns = [FieldReferenceExpression("a", IntType(), side, 0) for side in (0, 1)]
    call = CallExpression(comparison.EQUALS, tuple(columns), BooleanType())
    assert to_spark_sql(call, ["left"], ["right"]) == "(`left` = `right`)"


@pytest.mark.parametrize("precision", [0, 9])
def test_time_is_refused_where_spark_has_no_such_type(monkeypatch: pytest.MonkeyPatch, precision: int) -> None:
    monkeypatch.setattr("table_api_bridge.spark_internals._TIME", None)
    with pytest.raises(TableException, match=r"Spark 4\.\d\.\d+ has no type TIME") as caught:
        to_spark_sql(FieldReferenceExpression("a", TimeType(precision), 0, 0), ["a"])
    assert "Spark 4.1 or later" in str(caught.value)
