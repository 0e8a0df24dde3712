"""Columns of Parquet files whose names differ in case from those of the table, and whose times have other digits."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from table_common.connector import FileScanProvider
from table_common.types import IntType, RowType, parse_logical_type
from table_planner_spark.scan.parquet_columns import (
    columns_with_finer_times,
    files_by_schema,
    has_names_of_other_case,
    has_other_types,
    has_times_unknown_to_spark,
)
from table_runtime.files import Snapshots

ROW = RowType.of([("a", IntType())], nullable=False)


@pytest.mark.parametrize(("names", "expected"), [(["a"], False), (["A"], True), (["a", "A"], False), (["b"], False)])
def test_a_name_of_other_case_counts_only_if_the_column_itself_is_missing(tmp_path: Path, names: list[str], expected: bool) -> None:
    parquet.write_table(pa.table([pa.array([1], pa.int32())] * len(names), names=names), tmp_path / "f.parquet")
    provider = FileScanProvider((str(tmp_path),), "parquet", ROW, ROW)
    assert has_names_of_other_case(provider, files_by_schema(provider)) is expected


def test_a_path_that_does_not_exist_has_no_such_names(tmp_path: Path) -> None:
    provider = FileScanProvider((str(tmp_path / "none"),), "parquet", ROW, ROW)
    assert not has_names_of_other_case(provider, files_by_schema(provider))


@pytest.mark.parametrize(
    ("type_", "found", "finer", "unknown"),
    [
        ("TIMESTAMP(3)", pa.timestamp("us"), True, False),
        ("TIMESTAMP(3)", pa.timestamp("ms"), False, False),
        ("TIMESTAMP(6)", pa.timestamp("us"), False, False),
        ("TIMESTAMP_LTZ(1)", pa.timestamp("ms", "UTC"), True, False),
        ("ARRAY<ROW<t TIMESTAMP(3)>>", pa.list_(pa.struct([("t", pa.timestamp("us"))])), True, False),
        ("MAP<STRING, TIMESTAMP(9)>", pa.map_(pa.string(), pa.timestamp("us")), False, True),
        ("TIMESTAMP(9)", pa.timestamp("ns"), False, False),
        ("TIMESTAMP(7)", pa.timestamp("ns"), True, False),
        ("TIMESTAMP(6)", pa.timestamp("ns"), False, True),
        ("ROW<t TIMESTAMP(3)>", pa.struct([("t", pa.timestamp("ns"))]), True, True),
        ("TIME(0)", pa.time32("ms"), False, True),
        ("TIME(0)", pa.time64("us"), False, False),
        ("INT", pa.int32(), False, False),
    ],
)
def test_files_say_whether_their_times_have_other_digits(
    tmp_path: Path, type_: str, found: pa.DataType, finer: bool, unknown: bool
) -> None:
    parquet.write_table(pa.table([pa.nulls(1, found)], names=["a"]), tmp_path / "f.parquet")
    row_type = RowType.of([("a", parse_logical_type(type_))], nullable=False)
    provider = FileScanProvider((str(tmp_path),), "parquet", row_type, row_type)
    assert columns_with_finer_times(provider, ["a"], Snapshots()) == ({"a"} if finer else set())
    assert has_times_unknown_to_spark(provider, files_by_schema(provider)) is unknown


def test_timestamps_of_96_bits_are_known_to_spark(tmp_path: Path) -> None:
    parquet.write_table(
        pa.table([pa.nulls(1, pa.timestamp("ns"))], names=["a"]), tmp_path / "f.parquet", use_deprecated_int96_timestamps=True
    )
    row_type = RowType.of([("a", parse_logical_type("TIMESTAMP(3)"))], nullable=False)
    provider = FileScanProvider((str(tmp_path),), "parquet", row_type, row_type)
    assert columns_with_finer_times(provider, ["a"], Snapshots()) == {"a"}
    assert not has_times_unknown_to_spark(provider, files_by_schema(provider))


@pytest.mark.parametrize(
    ("type_", "found", "other"),
    [
        ("TIMESTAMP(6)", pa.timestamp("us", "UTC"), True),
        ("TIMESTAMP_LTZ(6)", pa.timestamp("us"), True),
        ("TIMESTAMP(3)", pa.date32(), True),
        ("DOUBLE", pa.int32(), True),
        ("BYTES", pa.string(), True),
        ("STRING", pa.binary(), True),
        ("INT", pa.int64(), True),
        ("BIGINT", pa.uint64(), True),
        ("FLOAT", pa.float64(), True),
        ("DECIMAL(38, 0)", pa.decimal128(20, 0), True),
        ("INT", pa.null(), True),
        ("ARRAY<ROW<t TIMESTAMP(6)>>", pa.list_(pa.struct([("t", pa.timestamp("us", "UTC"))])), True),
        ("MAP<STRING, INT>", pa.map_(pa.string(), pa.int64()), True),
        ("BIGINT", pa.int16(), False),
        ("DOUBLE", pa.float32(), False),
        ("CHAR(3)", pa.large_string(), False),
        ("STRING", pa.dictionary(pa.int32(), pa.string()), False),
        ("BINARY(3)", pa.binary(3), False),
        ("DECIMAL(20, 0)", pa.decimal128(20, 0), False),
        ("TIMESTAMP_LTZ(3)", pa.timestamp("us", "UTC"), False),
        ("MULTISET<INT>", pa.map_(pa.int32(), pa.int32()), False),
        ("ROW<a INT, b ARRAY<DATE>>", pa.struct([("b", pa.list_(pa.date32()))]), False),
    ],
)
def test_columns_of_another_type_are_not_for_the_reader_of_spark(tmp_path: Path, type_: str, found: pa.DataType, other: bool) -> None:
    """Spark reads dates as timestamps, whole numbers as doubles, any bytes as text, and UTC times as local ones, without an error."""
    parquet.write_table(pa.table([pa.nulls(0, found)], names=["a"]), tmp_path / "f.parquet")
    row_type = RowType.of([("a", parse_logical_type(type_))], nullable=False)
    provider = FileScanProvider((str(tmp_path),), "parquet", row_type, row_type)
    assert has_other_types(provider, files_by_schema(provider)) is other


def test_timestamps_of_96_bits_are_of_both_kinds(tmp_path: Path) -> None:
    times = pa.table([pa.nulls(1, pa.timestamp("ns"))], names=["a"])
    parquet.write_table(times, tmp_path / "f.parquet", use_deprecated_int96_timestamps=True)
    row_type = RowType.of([("a", parse_logical_type("TIMESTAMP_LTZ(6)"))], nullable=False)
    provider = FileScanProvider((str(tmp_path),), "parquet", row_type, row_type)
    assert not has_other_types(provider, files_by_schema(provider))
    parquet.write_table(times, tmp_path / "g.parquet")  # with 64 bits, and the same schema
    assert has_other_types(provider, files_by_schema(provider))
