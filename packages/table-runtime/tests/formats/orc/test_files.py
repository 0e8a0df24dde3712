from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableException, TableRuntimeException

COLUMNS = {
    "id": "INT",
    "s": "STRING",
    "d": "DATE",
    "n": "DECIMAL(20, 3)",
    "ts": "TIMESTAMP(6)",
    "l": "ARRAY<INT>",
    "m": "MAP<STRING, DOUBLE>",
    "r": "ROW<a INT, b STRING>",
}
ROW = (1, "x", date(2020, 2, 29), Decimal("1.500"), datetime(2020, 1, 2, 3, 4, 5, 6), [1, None], [("k", 1.5)], {"a": 1, "b": "y"})


@pytest.mark.parametrize("codec", ["ZLIB", "SNAPPY", "LZ4", "ZSTD", "NONE"])
def test_what_is_written_is_read_back(files: Any, codec: str) -> None:
    files.write("orc", COLUMNS, [ROW, (None,) * len(COLUMNS)], compress=codec)
    assert files.read("orc", COLUMNS) == [ROW, (None,) * len(COLUMNS)]


def test_columns_are_chosen_by_name_and_null_where_the_table_says_so(files: Any) -> None:
    files.write("orc", {"a": "INT", "b": "STRING"}, [(1, "x")])
    assert files.read("orc", {"b": "STRING", "c": "INT", "a": "BIGINT"}, None, ["c", "a"], nulls=True) == [(None, 1)]


def test_a_file_without_rows_is_a_file(files: Any) -> None:
    files.write("orc", {"a": "INT"}, [])
    assert files.read("orc", {"a": "INT"}) == []


def test_a_broken_file_is_named(files: Any) -> None:
    with pytest.raises(TableRuntimeException, match=r"The ORC file '.*' cannot be read"):
        files.read("orc", {"a": "INT"}, "no orc")


def test_times_are_refused_before_anything_is_written(files: Any) -> None:
    with pytest.raises(TableException, match="does not support column 't' of the type TIME"):
        files.write("orc", {"t": "TIME(0)"}, [])


def test_times_have_the_digits_of_their_column(files: Any) -> None:
    from pyarrow.orc import write_table

    moments = [datetime(1969, 12, 31, 23, 59, 59, 999_999), None, datetime(2020, 1, 1, 0, 0, 0, 123_456)]
    write_table(
        pa.table({"t": pa.array(moments, pa.timestamp("ns")).view(pa.int64())}).cast(pa.schema([("t", pa.timestamp("ns"))])),
        str(files.path),
    )
    expected = [datetime(1969, 12, 31, 23, 59, 59, 999_000), None, datetime(2020, 1, 1, 0, 0, 0, 123_000)]
    assert files.read("orc", {"t": "TIMESTAMP(3)"}) == [(moment,) for moment in expected]
    assert files.read("orc", {"t": "TIMESTAMP(6)"}) == [(moment,) for moment in moments]
