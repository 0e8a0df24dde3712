from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from table_runtime.streaming.over.lag import OverLag

if TYPE_CHECKING:
    from conftest import Check, Partition


def before(distance: int, default: Callable[[tuple[int, int | None, int]], Any]) -> Callable[[Partition, int], Any]:
    def result(rows: Partition, at: int) -> Any:
        return rows[at - distance][1] if at >= distance else default(rows[at])

    return result


@pytest.mark.parametrize("distance", [0, 1, 3, 50])
def test_the_value_is_that_of_the_row_some_rows_before(check: Check, distance: int) -> None:
    lag = OverLag(0, 1, distance, pa.scalar(None, pa.int64()), pa.int64(), pa.int64())
    check(lag, [before(distance, lambda row: None)])


def test_where_there_is_no_row_the_default_is_a_constant(check: Check) -> None:
    check(OverLag(0, 1, 2, pa.scalar(7, pa.int32()), pa.int64(), pa.int64()), [before(2, lambda row: 7)])


def test_where_there_is_no_row_the_default_is_a_column(check: Check) -> None:
    check(OverLag(0, 1, 2, 2, pa.int64(), pa.int64()), [before(2, lambda row: row[2])])
