"""Rows of this process that workers read."""

from __future__ import annotations

import pickle
from pathlib import Path

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.gate import Gate
from table_planner_spark.streaming.row_transfer import RowTransfer


def test_few_rows_travel_with_the_task_and_many_in_a_file(tmp_path: Path) -> None:
    sent = RowTransfer(Gate.location_of_program(str(tmp_path)), "s")
    few, many = pa.record_batch({"n": [1, 2]}), pa.record_batch({"n": range(100_000)})
    for batch in (few, many):
        read = pickle.loads(pickle.dumps(sent.send([batch, batch])))
        assert pa.Table.from_batches(read()).equals(pa.Table.from_batches([batch, batch]))
    assert len(pickle.dumps(read)) < 1000
    assert [file.name for file in (tmp_path / "inputs").iterdir()] == ["s-0.arrow"]
    sent.clear()
    assert not list((tmp_path / "inputs").iterdir())
    with pytest.raises(TableRuntimeException, match=r"s-0\.arrow' with rows of the program is missing"):
        list(read())
