"""Lookups by Python values."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from table_common.arrow import PythonLookupFunction, from_python_rows, import_batch
from table_common.types import BigIntType, DateType, RowType, VarCharType

ROW = RowType.of([("id", BigIntType()), ("name", VarCharType())], nullable=False)
KEYS = RowType.of([("id", BigIntType()), ("day", DateType())], nullable=False)
DAY = datetime.date(2024, 2, 29)


@dataclass
class Lookup(PythonLookupFunction):
    """As many rows as the key says, on one day."""

    def find(self, *key: Any) -> Iterable[tuple[Any, ...]]:
        number, day = key
        return ((number, f"{index}") for index in range(number)) if day == DAY else ()


def look_up(keys: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = import_batch(Lookup(ROW).lookup_batch(from_python_rows(keys, KEYS))).to_pylist()
    return found


def test_rows_come_with_the_number_of_their_key() -> None:
    assert look_up([(0, DAY), (2, DAY), (1, DAY)]) == [
        {"key": 1, "id": 2, "name": "0"},
        {"key": 1, "id": 2, "name": "1"},
        {"key": 2, "id": 1, "name": "0"},
    ]


def test_keys_without_rows_are_left_out() -> None:
    assert look_up([(5, datetime.date(2024, 3, 1))]) == []
