"""OVER windows: the columns that they add, and their text."""

from __future__ import annotations

import pytest

from table_api.expressions.unresolved import FrameBoundKind, FrameUnit
from table_api.operations import SortOrder, ValuesQueryOperation, WindowBound, WindowCall, WindowFrame, WindowQueryOperation
from table_common.catalog import ResolvedSchema
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin import aggregates, windows
from table_common.types import BigIntType, BooleanType, IntType

SCHEMA = ResolvedSchema.physical([("a", IntType()), ("b", BooleanType())])
A, B = (FieldReferenceExpression(c.name, c.data_type, 0, i) for i, c in enumerate(SCHEMA.columns))
TWO = ValueLiteralExpression(2, IntType(nullable=False))
FRAME = WindowFrame(FrameUnit.ROWS, WindowBound(FrameBoundKind.PRECEDING, TWO), WindowBound(FrameBoundKind.CURRENT_ROW))
ROW_NUMBER = WindowCall(windows.ROW_NUMBER, (), BigIntType(nullable=False))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (ROW_NUMBER, "ROW_NUMBER()"),
        (WindowCall(aggregates.SUM, (A,), IntType(), FRAME), "SUM(a) ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"),
        (WindowCall(aggregates.COUNT, (A,), BigIntType(), distinct=True, filter=B), "COUNT(DISTINCT a) FILTER (WHERE b)"),
        (WindowCall(windows.LAG, (A, TWO), IntType(), ignore_nulls=True), "LAG(a, 2) IGNORE NULLS"),
        (WindowCall(aggregates.FIRST_VALUE, (A,), IntType(), ignore_nulls=False), "FIRST_VALUE(a) RESPECT NULLS"),
    ],
    ids=str,
)
def test_a_call_is_shown_as_sql(call: WindowCall, text: str) -> None:
    assert str(call) == text


def test_one_column_per_call_is_added_behind_the_others() -> None:
    window = WindowQueryOperation((B,), (), (ROW_NUMBER, ROW_NUMBER), ("m", "n"), ValuesQueryOperation((), SCHEMA))
    assert window.resolved_schema.column_names == ("a", "b", "m", "n")
    assert window.resolved_schema.column_types[2:] == (BigIntType(nullable=False), BigIntType(nullable=False))


def test_each_call_has_a_name() -> None:
    with pytest.raises(AssertionError):
        WindowQueryOperation((), (), (ROW_NUMBER,), (), ValuesQueryOperation((), SCHEMA))


def test_explain_shows_partitions_and_order_only_where_there_are_any() -> None:
    rows, order = ValuesQueryOperation((), SCHEMA), SortOrder(A, True, True)
    select = ("select", ["ROW_NUMBER() AS n"])
    assert list(WindowQueryOperation((), (), (ROW_NUMBER,), ("n",), rows).summary_details()) == [select]
    assert list(WindowQueryOperation((B,), (order,), (ROW_NUMBER,), ("n",), rows).summary_details()) == [
        ("partitionBy", ["b"]),
        ("orderBy", [str(order)]),
        select,
    ]
