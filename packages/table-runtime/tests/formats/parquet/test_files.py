from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_common.exceptions import TableRuntimeException, ValidationException
from table_runtime.formats import file_format
from table_runtime.formats.parquet.factory import ParquetFormatFactory


def test_columns_are_read_by_name_and_converted(files: Any) -> None:
    pq.write_table(pa.table({"b": pa.array(["x"]), "a": pa.array([1], pa.int16()), "extra": [0]}), files.path)
    assert files.read("parquet", {"a": "BIGINT", "b": "STRING"}) == [(1, "x")]


def test_a_column_that_the_file_lacks_is_null_if_the_table_says_so(files: Any) -> None:
    pq.write_table(pa.table({"a": [1, 2]}), files.path)
    assert files.read("parquet", {"a": "BIGINT", "new": "ARRAY<INT>"}, nulls=True) == [(1, None), (2, None)]
    assert files.read("parquet", {"new": "INT"}, nulls=True) == [(None,), (None,)]


def test_a_value_that_does_not_fit_is_an_error_that_names_file_and_column(files: Any) -> None:
    pq.write_table(pa.table({"a": [1, 2**40]}), files.path)
    with pytest.raises(TableRuntimeException, match="Column 'a' of the Parquet file") as raised:
        files.read("parquet", {"a": "INT"})
    assert str(files.path) in str(raised.value)


def test_a_column_of_another_kind_is_an_error(files: Any) -> None:
    pq.write_table(pa.table({"a": ["x"]}), files.path)
    with pytest.raises((TableRuntimeException, ValidationException), match="Column 'a'"):
        files.read("parquet", {"a": "INT"})


def test_a_file_that_is_no_parquet_is_an_error(files: Any) -> None:
    with pytest.raises(TableRuntimeException, match=r"The Parquet file .* cannot be read"):
        files.read("parquet", {"a": "INT"}, "nonsense")


def test_what_is_written_is_read_back(files: Any) -> None:
    columns = {
        "a": "ARRAY<ROW<x INT>>",
        "m": "MAP<STRING, INT>",
        "d": "DATE",
        "ts": "TIMESTAMP(9)",
        "n": "DECIMAL(38, 10)",
        "i": "INTERVAL DAY TO SECOND(3)",
    }
    rows = [([{"x": 1}], [("k", 1)], date(2020, 1, 1), datetime(2020, 1, 1), Decimal("1.5000000000"), None), (None,) * 6]
    files.write("parquet", columns, rows, compression="ZSTD")
    assert files.read("parquet", columns) == rows


def test_the_compression_is_checked() -> None:
    with pytest.raises(ValidationException, match="compression"):
        ParquetFormatFactory().validate({"compression": "rar"})


def test_an_unknown_format_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ValidationException, match=r"Installed formats: .*csv.*parquet"):
        file_format("parquett")


def test_text_that_is_no_utf8_is_an_error_that_names_the_column(files: Any) -> None:
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(bytes([0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0])), pa.py_buffer(b"x\xff")]
    )
    pq.write_table(pa.table({"a": broken}), files.path)
    with pytest.raises(TableRuntimeException, match=r"Column 'a' of the Parquet file .* is damaged: .*UTF8"):
        files.read("parquet", {"a": "STRING"})


def test_text_beyond_ascii_is_read(files: Any) -> None:
    pq.write_table(pa.table({"a": ["x", "Zürich", None], "l": [["é"], [], None]}), files.path)
    assert files.read("parquet", {"a": "STRING", "l": "ARRAY<STRING>"}) == [("x", ["é"]), ("Zürich", []), (None, None)]


@pytest.mark.parametrize("unit", ["us", "ns"])
def test_times_have_the_digits_of_their_column(files: Any, unit: str) -> None:
    moments = [datetime(1969, 12, 31, 23, 59, 59, 999_999), None, datetime(2020, 1, 1, 0, 0, 0, 123_456)]
    nested = pa.array([[{"t": moment}] for moment in moments], pa.list_(pa.struct([("t", pa.timestamp(unit))])))
    pq.write_table(
        pa.table({"t": pa.array(moments, pa.timestamp(unit)), "z": pa.array(moments, pa.timestamp(unit, "UTC")), "n": nested}), files.path
    )
    expected = [datetime(1969, 12, 31, 23, 59, 59, 999_000), None, datetime(2020, 1, 1, 0, 0, 0, 123_000)]
    assert files.read("parquet", {"t": "TIMESTAMP(3)"}) == [(moment,) for moment in expected]
    assert files.read("parquet", {"z": "TIMESTAMP_LTZ(3)"}) == [(moment and moment.replace(tzinfo=UTC),) for moment in expected]
    assert files.read("parquet", {"n": "ARRAY<ROW<t TIMESTAMP(3)>>"}) == [([{"t": moment}],) for moment in expected]
    assert files.read("parquet", {"t": "TIMESTAMP(6)"}) == [(moment,) for moment in moments]
