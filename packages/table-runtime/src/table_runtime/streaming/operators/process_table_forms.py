"""The operator of a process table function: called row by row, or with many rows at once."""

from __future__ import annotations

from table_runtime.streaming.operators.process_table import ProcessTable
from table_runtime.streaming.operators.process_table_spec import ProcessSpec


def process_table(spec: ProcessSpec, text: str = "") -> ProcessTable:
    """Returns the operator of a call."""
    if spec.signature.is_vectorized:
        from table_runtime.streaming.operators.process_table_batches import ProcessTableBatches  # few functions need it

        return ProcessTableBatches(spec, text)
    return ProcessTable(spec, text)
