"""The connector ``memory``, partitioned, keeps to the contract of sources and sinks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from table_common.arrow import from_python_rows
from table_runtime.connectors.memory import drop_memory_table, put_memory_table
from table_runtime.connectors.memory.factory import MemoryTableFactory
from table_testing import SourceCompliance
from table_testing.connector_case import Row

NAME = "compliance"


class TestMemory(SourceCompliance):
    factory = MemoryTableFactory
    partition_keys = ("name",)
    rows = ((1, "one", 1.5), (2, None, 2.5), (3, "three", None), (4, "one", -0.5), (7, "three", 70.0))

    @pytest.fixture(autouse=True)
    def forget(self) -> Iterator[None]:
        yield
        drop_memory_table(NAME)

    def create_table(self, folder: Path, rows: Sequence[Row]) -> Mapping[str, str]:
        put_memory_table(NAME, pa.Table.from_batches([from_python_rows(rows, self.row_type)]))
        return {"name": NAME, "splits": "2"}
