"""INSERT: constants of partitions."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from table_api.resolution.insertion import partition_text
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression
from table_common.types import BooleanType, CharType, DateType, IntType, LogicalType


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        ("it's", CharType(4, nullable=False), "it's"),
        (7, IntType(nullable=False), "7"),
        (True, BooleanType(nullable=False), "true"),
        (datetime.date(2020, 1, 2), DateType(nullable=False), "2020-01-02"),
    ],
)
def test_a_constant_stands_in_a_partition_without_quotes(value: Any, type_: LogicalType, text: str) -> None:
    assert partition_text(ValueLiteralExpression(value, type_)) == text


@pytest.mark.parametrize("value", [ValueLiteralExpression(None, IntType()), FieldReferenceExpression("a", IntType(), 0, 0)], ids=str)
def test_a_partition_value_is_a_constant_that_is_not_null(value: Any) -> None:
    with pytest.raises(ValidationException, match="must be a constant other than NULL"):
        partition_text(value)
