from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from table_common.data import (
    GenericArrayData,
    GenericRowData,
    RowData,
)
from table_common.exceptions import TableRuntimeException


def row(*values: Any) -> RowData:
    return GenericRowData.of(*values)


@pytest.mark.parametrize(
    ("get", "value", "message"),
    [
        (lambda r: r.get_int(0), None, "position 0 is NULL"),
        (lambda r: r.get_string(0), None, "position 0 is NULL"),
        (lambda r: r.get_int(0), True, "True of class bool, not int"),
        (lambda r: r.get_boolean(0), 1, "1 of class int, not bool"),
        (lambda r: r.get_string(0), b"x", "of class bytes, not StringData"),
        (lambda r: r.get_double(0), 1, "of class int, not float"),
        (lambda r: r.get_map(0), GenericArrayData([]), "not MapData"),
        (lambda r: r.get_int(1), 1, "no position 1: there are 1 values"),
        (lambda r: r.is_null_at(1), 1, "no position 1: there are 1 values"),
        (lambda r: r.get_time(1, 3), 1, "no position 1: there are 1 values"),
    ],
)
def test_a_failing_getter_gives_the_reason(get: Callable[[RowData], Any], value: object, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        get(row(value))
