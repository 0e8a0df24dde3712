"""Batches of a program's rows."""

from __future__ import annotations

import pickle

import pytest

from table_common.arrow import RowBatchConverter
from table_common.connector import DynamicTableSink, ScanTableSource
from table_common.data import Row, RuntimeConverter
from table_common.exceptions import ValidationException
from table_common.types import DataTypes

ROW = DataTypes.ROW([DataTypes.FIELD("id", DataTypes.INT()), DataTypes.FIELD("name", DataTypes.STRING())])


def test_rows_go_to_a_batch_and_back() -> None:
    converter = RowBatchConverter(ROW)
    converter.open(RuntimeConverter.Context.empty())
    batch = converter.to_internal_batch([(1, "a"), {"id": 2, "name": None}, Row(3, "c")])
    assert batch.to_pylist() == [{"id": 1, "name": "a"}, {"id": 2, "name": None}, {"id": 3, "name": "c"}]
    assert [tuple(row) for row in converter.to_external_batch(batch)] == [(1, "a"), (2, None), (3, "c")]


def test_a_converter_is_pickled_before_it_is_opened() -> None:
    copy = pickle.loads(pickle.dumps(RowBatchConverter(ROW)))
    copy.open(RuntimeConverter.Context.empty())
    assert copy.to_internal_batch([(1, "a")]).num_rows == 1


def test_only_rows_make_batches() -> None:
    with pytest.raises(ValidationException, match="made of rows"):
        RowBatchConverter(DataTypes.INT())


def test_the_contexts_of_scans_and_sinks_make_converters() -> None:
    inward = ScanTableSource.ScanContext().create_data_structure_converter(ROW)
    outward = DynamicTableSink.SinkContext().create_data_structure_converter(ROW)
    for converter in (inward, outward):
        converter.open(RuntimeConverter.Context.empty())
    assert tuple(outward.to_external(inward.to_internal((1, "a")))) == (1, "a")
