"""Conditions for datasets: what is accepted, and that it keeps the rows that SQL keeps."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from table_common.arrow import to_arrow_filter, to_arrow_schema
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import arithmetic, comparison, conversion, logic, strings
from table_common.types import (
    BigIntType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    RowType,
    TimestampType,
    VarCharType,
)

_TYPES: dict[str, LogicalType] = {
    "i": IntType(),
    "d": DecimalType(9, 2),
    "s": VarCharType(20),
    "f": DoubleType(),
    "t": TimestampType(3),
    "b": BooleanType(),
    "day": DateType(),
    "r": FloatType(),
    "t9": TimestampType(9),
    "n": DecimalType(20, 0),
}
_ROW = RowType.of(list(_TYPES.items()))
_NAN = float("nan")
_ROWS: list[dict[str, Any]] = [
    {"i": 1, "d": Decimal("1.50"), "s": "abc", "f": 1.5, "t": 0, "b": True, "day": 0, "r": 0.1, "n": Decimal(1)},
    {"i": 2, "d": Decimal("2.00"), "s": "abd", "f": _NAN, "t": 1_000_000, "b": False, "day": 1},
    {"i": None, "d": None, "s": None, "f": None, "t": None, "b": None, "day": None},
    {"i": 4, "d": Decimal("-3.25"), "s": "b%", "f": 0.0, "t": 2_000_000, "b": True, "day": 3},
]


@pytest.fixture
def dataset(tmp_path: Path) -> Any:
    """A Parquet file with one row group per row, so that statistics decide as much as they can."""
    schema = to_arrow_schema(_ROW)
    table = pa.table([pa.array([row.get(field.name) for row in _ROWS], field.type) for field in schema], schema=schema)
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=1)
    return ds.dataset(tmp_path / "rows.parquet")


def column(name: str) -> FieldReferenceExpression:
    return FieldReferenceExpression(name, _TYPES[name], 0, list(_TYPES).index(name))


def constant(value: Any, type_: LogicalType) -> ValueLiteralExpression:
    return ValueLiteralExpression(value, type_)


def call(function: FunctionDefinition, *args: ResolvedExpression) -> CallExpression:
    return CallExpression(function, args, BooleanType())


_I, _D, _S, _F, _T, _B, _DAY, _R, _T9, _N = (column(name) for name in _TYPES)
_TWO = constant(2, IntType())
_GREATER = call(comparison.GREATER_THAN, _I, constant(1, IntType()))
_NULL_INT = constant(None, IntType())


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        (call(comparison.EQUALS, _I, _TWO), [1]),
        (call(comparison.NOT_EQUALS, _I, _TWO), [0, 3]),
        (call(comparison.LESS_THAN, _TWO, _I), [3]),
        (call(comparison.EQUALS, _I, _NULL_INT), []),
        (call(logic.NOT, call(comparison.EQUALS, _I, _NULL_INT)), []),
        (call(comparison.IS_NULL, _I), [2]),
        (call(comparison.IS_NOT_NULL, _I), [0, 1, 3]),
        (call(comparison.IS_DISTINCT_FROM, _I, _TWO), [0, 2, 3]),
        (call(comparison.IS_NOT_DISTINCT_FROM, _I, _NULL_INT), [2]),
        (call(comparison.BETWEEN, _I, constant(1, IntType()), _TWO), [0, 1]),
        (call(comparison.NOT_BETWEEN, _I, constant(1, IntType()), _TWO), [3]),
        (call(comparison.IN, _I, _TWO, constant(4, IntType())), [1, 3]),
        (call(comparison.IN, _I, _TWO, _NULL_INT), [1]),
        (call(comparison.NOT_IN, _I, _TWO, constant(4, IntType())), [0]),
        (call(comparison.NOT_IN, _I, _TWO, _NULL_INT), []),
        (call(logic.NOT, call(comparison.IN, _I, _TWO)), [0, 3]),
        (call(logic.AND, _GREATER, call(comparison.IS_NOT_NULL, _S)), [1, 3]),
        (call(logic.OR, _GREATER, call(comparison.IS_NULL, _I)), [1, 2, 3]),
        (call(logic.NOT, call(logic.AND, _GREATER, _B)), [0, 1]),
        (_B, [0, 3]),
        (call(logic.NOT, _B), [1]),
        (call(comparison.GREATER_THAN, _D, constant(Decimal("1.5"), DecimalType(2, 1))), [1]),
        (call(comparison.EQUALS, _T, constant(1_000_000_000, TimestampType(3))), [1]),
        (call(comparison.GREATER_THAN_OR_EQUAL, _F, constant(0.0, DoubleType())), [0, 3]),
        (call(strings.LIKE, _S, constant("ab%", VarCharType())), [0, 1]),
        (call(strings.NOT_LIKE, _S, constant("ab%", VarCharType())), [3]),
        (call(strings.LIKE, _S, constant("%c", VarCharType())), [0]),
        (call(strings.LIKE, _S, constant("%b%", VarCharType())), [0, 1, 3]),
        (call(strings.LIKE, _S, constant("abc", VarCharType())), [0]),
        (
            call(
                comparison.EQUALS,
                CallExpression(conversion.CAST, (_I, TypeLiteralExpression(BigIntType())), BigIntType()),
                constant(2, BigIntType()),
            ),
            [1],
        ),
        (call(comparison.EQUALS, _I, constant(Decimal("1.00"), DecimalType(3, 2))), [0]),
        (
            call(
                comparison.EQUALS,
                CallExpression(conversion.CAST, (_I, TypeLiteralExpression(DecimalType(11, 1))), DecimalType(11, 1)),
                _TWO,
            ),
            [1],
        ),
        (call(comparison.LESS_THAN, _D, constant(2, IntType())), [0, 3]),
        (call(comparison.EQUALS, _N, constant(1, BigIntType())), [0]),
        (call(comparison.EQUALS, _T, constant(1_000_000_000, TimestampType(9))), [1]),
        (call(comparison.EQUALS, _T, constant(1_000_000_001, TimestampType(9))), []),
        (constant(True, BooleanType()), [0, 1, 2, 3]),
        (constant(None, BooleanType()), []),
    ],
)
def test_the_dataset_keeps_the_rows_for_which_the_condition_is_true(dataset: Any, condition: ResolvedExpression, kept: list[int]) -> None:
    filter_, accepted, remaining = to_arrow_filter([condition], _ROW)
    assert (accepted, remaining) == ([condition], [])
    rows = dataset.to_table(columns=["s"], filter=filter_)["s"].to_pylist()
    assert rows == [_ROWS[index]["s"] for index in kept]


@pytest.mark.parametrize(
    "condition",
    [
        # NaN belongs to these, and statistics do not know of it.
        call(comparison.NOT_EQUALS, _F, constant(1.5, DoubleType())),
        call(logic.NOT, call(comparison.GREATER_THAN, _F, constant(1.0, DoubleType()))),
        call(comparison.EQUALS, _F, constant(_NAN, DoubleType())),
        call(comparison.IN, _F, constant(1.5, DoubleType())),
        call(comparison.IN, _I, _TWO, constant(2**40, BigIntType())),
        # The constant is not a value of the column's type.
        call(comparison.GREATER_THAN, _D, constant(Decimal("1.505"), DecimalType(4, 3))),
        *(
            call(function, _I, constant(Decimal("1.4"), DecimalType(2, 1)))
            for function in (comparison.EQUALS, comparison.NOT_EQUALS, comparison.LESS_THAN, comparison.IS_DISTINCT_FROM, comparison.IN)
        ),
        call(logic.NOT, call(comparison.EQUALS, _I, constant(Decimal("1.4"), DecimalType(2, 1)))),
        call(comparison.NOT_IN, _I, constant(Decimal("1.4"), DecimalType(2, 1)), _TWO),
        call(comparison.BETWEEN, _I, constant(1, IntType()), constant(Decimal("1.4"), DecimalType(2, 1))),
        call(comparison.LESS_THAN, _I, constant(1 << 31, BigIntType())),
        call(comparison.EQUALS, _N, constant(Decimal("1.5"), DecimalType(2, 1))),
        call(comparison.EQUALS, _D, constant(Decimal("1000000000"), DecimalType(10, 0))),
        call(comparison.EQUALS, _R, constant(0.1, DoubleType())),
        call(comparison.LESS_THAN, _T9, constant(1 << 80, TimestampType(6))),
        # The constant is of another kind, although its number fits.
        call(comparison.EQUALS, _I, constant(2.0, DoubleType())),
        call(comparison.EQUALS, _F, _TWO),
        call(comparison.EQUALS, _DAY, constant(3, TimestampType(3))),
        call(comparison.EQUALS, _T, constant(0, LocalZonedTimestampType(3))),
        call(comparison.EQUALS, CallExpression(conversion.CAST, (_S, TypeLiteralExpression(IntType())), IntType()), _TWO),
        call(comparison.EQUALS, CallExpression(conversion.CAST, (_I, TypeLiteralExpression(DecimalType(9, 0))), DecimalType(9, 0)), _TWO),
        call(comparison.EQUALS, CallExpression(arithmetic.PLUS, (_I, _TWO), IntType()), _TWO),
        call(strings.LIKE, _S, constant("a_c", VarCharType())),
        call(strings.LIKE, _S, constant("a%c", VarCharType())),
    ],
)
def test_what_a_dataset_cannot_decide_exactly_remains(condition: ResolvedExpression) -> None:
    assert to_arrow_filter([condition], _ROW) == (None, [], [condition])


def test_accepted_and_remaining_conditions_are_all_conditions() -> None:
    fine, hard = call(comparison.EQUALS, _I, _TWO), call(strings.LIKE, _S, constant("a_c", VarCharType()))
    filter_, accepted, remaining = to_arrow_filter([hard, fine], _ROW)
    assert filter_ is not None
    assert (accepted, remaining) == ([fine], [hard])


def test_a_condition_nested_too_deeply_remains() -> None:
    condition: ResolvedExpression = _B
    for _ in range(500):
        condition = call(logic.NOT, condition)
    filter_, _accepted, remaining = to_arrow_filter([condition], _ROW)
    assert filter_ is None
    assert remaining[0] is condition


@pytest.mark.parametrize("connective", [logic.OR, logic.AND])
def test_a_condition_of_very_many_predicates_remains(connective: FunctionDefinition) -> None:
    # Arrow takes a time that grows with the square of the number.
    equal = [call(comparison.EQUALS, _I, constant(number, IntType())) for number in range(1000)]
    few, many = call(connective, *equal[:100]), call(connective, *equal)
    filter_, accepted, remaining = to_arrow_filter([many, few], _ROW)
    assert filter_ is not None
    assert (accepted, remaining) == ([few], [many])
