"""FLOOR and CEIL next to the ends of what a type holds."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pyarrow as pa
import pytest

from table_common.expressions import CallExpression, FieldReferenceExpression, TimeUnit, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import DateType, LogicalType, SymbolType, TimestampType
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels import KERNELS


def rounded(name: str, values: pa.Array, type_: LogicalType, unit: TimeUnit) -> Any:
    function = BUILT_INS_BY_NAME[name]
    call = CallExpression(function, (FieldReferenceExpression("v", type_, 0, 0), ValueLiteralExpression(unit, SymbolType())), type_)
    return KERNELS[function]([values, None], call, EvaluationContext(), len(values))


@pytest.mark.parametrize(("name", "value"), [("FLOOR", datetime(1677, 12, 31)), ("CEIL", datetime(2262, 2, 1))])
def test_a_boundary_without_nanoseconds_is_an_overflow(name: str, value: datetime) -> None:
    with pytest.raises(OverflowError, match="overflow"):
        rounded(name, pa.array([value], pa.timestamp("ns")), TimestampType(9), TimeUnit.YEAR)


def test_the_next_boundary_of_a_boundary_need_not_exist() -> None:
    values = pa.array([datetime(2201, 1, 1), None], pa.timestamp("ns"))
    assert rounded("CEIL", values, TimestampType(9), TimeUnit.CENTURY).equals(values)


def test_boundaries_outside_of_the_years_1_to_9999() -> None:
    days = pa.array([-719_162, 2_932_896], pa.int32()).cast(pa.date32())
    found = [rounded(name, days, DateType(), TimeUnit.DECADE).cast(pa.int32()).to_pylist() for name in ("FLOOR", "CEIL")]
    assert found == [[-719_528, 2_929_245], [-715_875, 2_932_897]]
