"""Comparisons and logic of three values."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from table_common.functions.builtin import comparison, conversion, logic
from table_common.types import DoubleType, IntType

_NAN = float("nan")
_TRUE, _FALSE, _UNKNOWN = (True, "BOOLEAN"), (False, "BOOLEAN"), (None, "BOOLEAN")


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (comparison.EQUALS, (1, Decimal("1.0")), True),
        (comparison.EQUALS, (("a", "CHAR(3)"), "a "), False),
        (comparison.EQUALS, (_NAN, _NAN), False),
        (comparison.NOT_EQUALS, (_NAN, _NAN), True),
        (comparison.EQUALS, (0.0, -0.0), True),
        (comparison.EQUALS, ((Decimal("9" * 38), "DECIMAL(38, 0)"), (Decimal("0.1"), "DECIMAL(38, 38)")), False),
        (comparison.LESS_THAN, ("Z", "a"), True),
        (comparison.GREATER_THAN, (1, (None, "INT")), None),
        (comparison.IS_DISTINCT_FROM, ((None, "INT"), (None, "INT")), False),
        (comparison.IS_DISTINCT_FROM, (1, (None, "INT")), True),
        (comparison.IS_NOT_DISTINCT_FROM, (1, 1), True),
        (comparison.IS_NULL, ((None, "INT"),), True),
        (comparison.BETWEEN, (12, (None, "INT"), 10), False),
        (comparison.BETWEEN, (12, 10, (None, "INT")), None),
        (comparison.NOT_BETWEEN, (12, 15, 12), True),
        (comparison.IN, (4, 1, 2, (None, "INT")), None),
        (comparison.IN, (1, 1, 2, (None, "INT")), True),
        (comparison.NOT_IN, (4, 1, 2), True),
        (comparison.NOT_IN, (4, 1, (None, "INT")), None),
        (comparison.IN, (_NAN, 1.0, _NAN), False),
        (comparison.IN, (-0.0, 1.0, 0.0), True),
        (comparison.EQUALS, (([1, None], "ARRAY<INT>"), ([1, None], "ARRAY<INT>")), True),
        (comparison.EQUALS, (([("a", 1), ("b", 2)], "MAP<STRING, INT>"), ([("b", 2), ("a", 1)], "MAP<STRING, INT>")), True),
        (logic.AND, (_FALSE, _UNKNOWN), False),
        (logic.AND, (_TRUE, _UNKNOWN, _TRUE), None),
        (logic.OR, (_UNKNOWN, _TRUE), True),
        (logic.OR, (_UNKNOWN, _FALSE), None),
        (logic.NOT, (_UNKNOWN,), None),
        (logic.IS_TRUE, (_UNKNOWN,), False),
        (logic.IS_NOT_TRUE, (_UNKNOWN,), True),
        (logic.IS_FALSE, (_FALSE,), True),
        (logic.IS_NOT_FALSE, (_UNKNOWN,), True),
        (conversion.CAST, ("12", IntType()), 12),
        (conversion.TRY_CAST, ("x", DoubleType()), None),
    ],
)
def test_fact(outcome: Any, function: Any, args: Any, expected: Any) -> None:
    assert outcome(function, *args) == expected


def test_type_of_shows_the_type_as_it_was_given(outcome: Any) -> None:
    assert outcome(conversion.TYPEOF, (1, "INT NOT NULL"), columns=False) == "INT NOT NULL"
