from __future__ import annotations

import random
from typing import Any

import pyarrow as pa

from table_runtime.columns.ordering import SortKey
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.operators.temporal_sort import TemporalSort
from table_testing.rounds import rounds

SCHEMA = pa.schema([("id", pa.int64()), ("t", pa.timestamp("us")), ("v", pa.int64())])
INPUTS = ((SCHEMA, 1),)


def operator(*others: SortKey) -> TemporalSort:
    return TemporalSort(SCHEMA, 1, [SortKey(1), *others])


def random_steps(chance: random.Random, length: int) -> list[Any]:
    time, result = 100, []
    for number in range(length):
        time += chance.choice([0, 0, 1, 2, 5])
        result.append((0, "+I", (number, max(1, time - chance.choice([0, 0, 2, 7, 30])), chance.choice([None, 1, 2, 3]))))
    return result


def test_rows_are_those_of_a_row_by_row_model_wherever_batches_are_cut(play: Any, event_time: Any) -> None:
    for seed in rounds(10):
        chance = random.Random(seed)
        timing = {"delay": chance.choice([0, 5]), "interval": chance.choice([0, 4])}
        steps = random_steps(chance, 60)
        clock = event_time(1, **timing)
        expected: list[Any] = []
        waiting: list[Any] = []
        emitted, late = NO_WATERMARK, 0
        for _, _, row in [*steps, (0, "", None)]:
            if row is not None and row[1] > emitted:
                waiting.append(row)
            elif row is not None:
                late += 1
            if clock.end(0) if row is None else clock.advance(0, row[1]):
                ready = sorted((one for one in waiting if one[1] <= clock.current), key=lambda one: (one[1], -(one[2] or 0)))
                waiting = [one for one in waiting if one[1] > clock.current]
                emitted = max([emitted, *(one[1] for one in ready)])
                expected += ready
        for size, restores in ((1, False), (3, False), (100, False), (4, True)):
            given = play(operator(SortKey(2, ascending=False, nulls_first=False)), INPUTS, steps, size=size, restores=restores, **timing)
            assert [row for _, row in given] == expected, f"seed {seed}, {timing}, batches of {size}"
            assert play.late_rows == late, f"seed {seed}, {timing}, batches of {size}"


def test_rows_of_one_time_come_in_the_order_of_the_other_keys_and_else_as_they_came(play: Any) -> None:
    steps = [(0, "+I", (1, 100, 2)), (0, "+I", (2, 100, 1)), (0, "+I", (3, 99, 5)), (0, "+I", (4, 100, 1))]
    assert [row[0] for _, row in play(operator(SortKey(2)), INPUTS, steps, delay=9)] == [3, 2, 4, 1]
    assert [row[0] for _, row in play(operator(), INPUTS, steps, delay=9)] == [3, 1, 2, 4]


def test_by_processing_time_rows_come_at_once(context: ExecutionContext, change_batch: Any) -> None:
    sort = TemporalSort(SCHEMA, None, [SortKey(1)])
    given: list[Any] = []
    changes = change_batch([("+I", (1, 5, 1)), ("+I", (2, 3, 1))], SCHEMA)
    sort.process(changes, 0, sort.create_state(context), lambda batch: given.extend(batch.rows.column(0).to_pylist()))
    assert given == [1, 2]
