"""Whether rows of shares are merged before they leave the job."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.changes.batch import DELETE, INSERT, ChangeBatch
from table_runtime.streaming.operators.exchange_keys import GLOBAL
from table_runtime.streaming.share_epochs.job_spec import JobSpec
from table_runtime.streaming.shares.cut import OutputKey

SCHEMA = pa.schema([("k", pa.int32()), ("n", pa.int32())])


def changes(kind: int, *rows: tuple[int, int]) -> ChangeBatch:
    columns = [pa.array([row[place] for row in rows], pa.int32()) for place in range(2)]
    return ChangeBatch(pa.RecordBatch.from_arrays(columns, schema=SCHEMA), np.full(len(rows), kind, np.int8))


def spec_of(divided: Any, unique: tuple[int, ...] | None, key: OutputKey | None) -> JobSpec:
    nothing: Any = None
    levels: Any = SimpleNamespace(shares=2, levels=[SimpleNamespace(outputs=())], divided={0: divided})
    outputs: Any = [SimpleNamespace(key=unique)]
    return JobSpec(nothing, levels, nothing, {0: SCHEMA}, outputs, [key], nothing, nothing, nothing, "job")


@pytest.mark.parametrize(
    ("divided", "unique", "key", "is_merged"),
    [
        ((0,), (0,), None, False),
        ((0,), (0, 1), None, False),
        (GLOBAL, None, None, False),
        ((0,), (1,), None, True),
        ((0,), None, None, True),
        (None, (0,), None, True),
        ((0,), (0,), OutputKey((1,)), True),
        ((0,), None, OutputKey((0,)), False),
        ((0,), None, OutputKey((0,), is_changed=True), True),
    ],
)
def test_rows_of_shares_are_merged_unless_all_of_a_key_come_from_one(
    divided: Any, unique: tuple[int, ...] | None, key: OutputKey | None, *, is_merged: bool
) -> None:
    parts = [[changes(INSERT, (1, 1), (2, 2))], [changes(DELETE, (1, 1))]]
    found = spec_of(divided, unique, key).net({0: parts})[0]
    assert sum(batch.num_rows for batch in found) == (1 if is_merged else 3)
