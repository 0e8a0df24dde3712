"""Result types of functions on dates and times."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import ValidationException
from table_common.expressions import TimeUnit
from table_common.inference.call_context import CallContext
from table_common.inference.temporal import current_watermark, epoch_timestamp, extracted, timestamp_added
from table_common.types import SymbolType, parse_logical_type


def context(*arguments: str | TimeUnit, **literals: Any) -> CallContext:
    types = tuple(SymbolType() if isinstance(argument, TimeUnit) else parse_logical_type(argument) for argument in arguments)
    constants = {position: argument for position, argument in enumerate(arguments) if isinstance(argument, TimeUnit)}
    return CallContext("F", types, constants | {int(name[1:]): value for name, value in literals.items()})


@pytest.mark.parametrize(
    ("unit", "value", "result"),
    [
        (TimeUnit.HOUR, "DATE", "TIMESTAMP(6)"),
        (TimeUnit.SECOND, "DATE NOT NULL", "TIMESTAMP(6) NOT NULL"),
        (TimeUnit.DAY, "DATE", "DATE"),
        (TimeUnit.HOUR, "TIMESTAMP(0)", "TIMESTAMP(0)"),
        (TimeUnit.HOUR, "TIME(0)", "TIME(0)"),
    ],
)
def test_less_than_a_day_makes_a_date_a_timestamp(unit: TimeUnit, value: str, result: str) -> None:
    assert str(timestamp_added()(context(unit, "INT NOT NULL", value))) == result


@pytest.mark.parametrize(
    ("pattern", "result"),
    [
        ("yyyy-MM-dd HH:mm:ss.SSSSS", "TIMESTAMP_LTZ(5)"),
        ("yyyy-MM-dd HH:mm:ss.S", "TIMESTAMP_LTZ(3)"),
        ("yyyy 'SSSSSS' SSSS", "TIMESTAMP_LTZ(4)"),
        ("SSSSS yyyy-MM-dd", "TIMESTAMP_LTZ(3)"),
        ("yyyy", "TIMESTAMP_LTZ(3)"),
        (None, "TIMESTAMP_LTZ(3)"),
    ],
)
def test_the_digits_that_end_a_pattern_are_the_precision(pattern: str | None, result: str) -> None:
    assert str(epoch_timestamp()(context("STRING", "STRING", _1=pattern))) == result


@pytest.mark.parametrize(("precision", "result"), [(0, "TIMESTAMP_LTZ(3)"), (9, "TIMESTAMP_LTZ(9)"), (None, "TIMESTAMP_LTZ(3)")])
def test_a_count_has_the_precision_given(precision: int | None, result: str) -> None:
    assert str(epoch_timestamp()(context("BIGINT", "INT", _1=precision))) == result


@pytest.mark.parametrize(
    ("arguments", "literals", "message"),
    [
        (("BIGINT", "INT"), {"_1": 10}, "a precision from 0 to 9, but got 10"),
        (("STRING", "STRING"), {"_1": "SSSSSSSSSS"}, "10 letters 'S'"),
        (("STRING", "STRING", "STRING"), {"_1": "yyyy", "_2": "No/where"}, "There is no time zone 'No/where'"),
    ],
)
def test_constants_that_are_not_valid_are_refused(arguments: tuple[str, ...], literals: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        epoch_timestamp()(context(*arguments, **literals))


@pytest.mark.parametrize("unit", [TimeUnit.NANOSECOND, TimeUnit.MICROSECOND])
def test_a_date_has_no_parts_of_a_second(unit: TimeUnit) -> None:
    assert str(extracted()(context(unit, "TIMESTAMP(9)"))) == "BIGINT"
    with pytest.raises(ValidationException, match=f"cannot take {unit.value} from a DATE"):
        extracted()(context(unit, "DATE"))


@pytest.mark.parametrize(("rowtime", "result"), [("TIMESTAMP(3)", "TIMESTAMP(3)"), ("TIMESTAMP_LTZ(3) NOT NULL", "TIMESTAMP_LTZ(3)")])
def test_the_watermark_is_a_nullable_timestamp_of_the_kind_of_its_column(rowtime: str, result: str) -> None:
    assert str(current_watermark()(context(rowtime))) == result
