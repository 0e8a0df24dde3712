"""Memory tables without an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from table_common.types import RowType, parse_logical_type
from table_runtime.connectors.memory import drop_memory_table
from table_runtime.connectors.memory.definition import MemoryDefinition

NAME = "memory-of-tests"
Define = Callable[..., MemoryDefinition]


@pytest.fixture
def define() -> Iterator[Define]:
    """Gives a function that returns the definition of a table, whose rows are forgotten after the test."""

    def make(
        columns: dict[str, str],
        *,
        partitions: tuple[str, ...] = (),
        key: tuple[str, ...] = (),
        push_down: bool = True,
        splits: int = 1,
        mode: str = "CHANGED",
    ) -> MemoryDefinition:
        row_type = RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False)
        return MemoryDefinition(NAME, row_type, partitions, key, push_down, splits, mode)

    yield make
    drop_memory_table(NAME)
