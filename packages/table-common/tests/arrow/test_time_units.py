"""Timestamps in the units of their precision."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from table_common.arrow import in_units_of_precision
from table_common.types import IntType, LocalZonedTimestampType, TimestampType


@pytest.mark.parametrize(("precision", "unit"), [(0, "s"), (1, "ms"), (3, "ms"), (4, "us"), (6, "us"), (7, "ns"), (9, "ns")])
@pytest.mark.parametrize(("kind", "zone"), [(TimestampType, None), (LocalZonedTimestampType, "UTC")])
def test_the_unit_follows_the_precision(precision: int, unit: str, kind: type[TimestampType], zone: str | None) -> None:
    given = pa.table({"i": [1, 2], "at": pa.array([dt.datetime(2024, 5, 1), None], pa.timestamp("us", zone))})
    found = in_units_of_precision(given, [IntType(), kind(precision)])
    assert found.schema.field("at").type == pa.timestamp(unit, zone)
    assert found.column("i").to_pylist() == [1, 2]
    assert found.column("at").cast(pa.timestamp("us", zone)).equals(given.column("at"))
