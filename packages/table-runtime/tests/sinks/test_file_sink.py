"""How the files of a table are described in plans, and which tables an unbounded job writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_common.arrow import to_arrow_schema
from table_common.connector import FileSinkProvider, PartitionCommit
from table_common.exceptions import TableException
from table_common.frozen_dataclass import replace
from table_common.types import BigIntType, RowType, VarCharType
from table_runtime.batch.values import Values
from table_runtime.sinks.file_sink import FileSink
from table_runtime.streaming.sinks.file_epochs import FileEpochs

ROW = RowType.of([("id", BigIntType()), ("day", VarCharType())], nullable=False)


def sink(provider: FileSinkProvider) -> FileSink:
    return FileSink(Values(to_arrow_schema(ROW), list, 0), provider, "orders", FileEpochs)


@pytest.fixture
def provider(tmp_path: Path) -> FileSinkProvider:
    return FileSinkProvider(str(tmp_path), "json", ROW, partition_keys=("day",), partition_commit=PartitionCommit())


def test_partitions_and_overwriting_are_shown_in_plans(provider: FileSinkProvider) -> None:
    assert sink(replace(provider, overwrite=True)).details() == "table=[orders], format=[json], partitionedBy=[day], overwrite=[true]"


def test_a_local_table_is_written_by_epoch(provider: FileSinkProvider) -> None:
    assert sink(provider).epoch_provider() == FileEpochs(provider)


def test_a_sink_without_epochs_is_not_written_by_a_job_without_an_end(provider: FileSinkProvider) -> None:
    with pytest.raises(TableException, match="cannot write to orders: its sink has no epochs"):
        FileSink(Values(to_arrow_schema(ROW), list, 0), provider, "orders").epoch_provider()


def test_a_job_without_an_end_overwrites_nothing(provider: FileSinkProvider) -> None:
    with pytest.raises(TableException, match="INSERT OVERWRITE of orders needs bounded rows"):
        sink(replace(provider, overwrite=True)).epoch_provider()
