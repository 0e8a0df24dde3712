from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.columns.ordering import SortKey
from table_runtime.streaming.operators import sort_at_end
from table_runtime.streaming.operators.sort_at_end import SortAtEnd
from table_testing.rounds import rounds

SCHEMA = pa.schema([("id", pa.int64()), ("t", pa.timestamp("us")), ("v", pa.int64())])
INPUTS = ((SCHEMA, 1),)


def by_value() -> SortAtEnd:
    return SortAtEnd(SCHEMA, [SortKey(2, ascending=False, nulls_first=True)])


def test_the_rows_that_are_left_come_in_order_wherever_batches_are_cut(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sort_at_end, "BATCH_ROWS", 4)
    for seed in rounds(10):
        chance = random.Random(seed)
        steps: list[Any] = []
        present: list[Any] = []
        for _ in range(60):
            if present and chance.random() < 0.4:
                row = present.pop(chance.randrange(len(present)))
                steps.append((0, chance.choice(["-U", "-D"]), row))
            else:
                row = chance.randrange(5), 1, chance.choice([None, 1, 2, 3])
                present.append(row)
                steps.append((0, chance.choice(["+I", "+U"]), row))
        expected = sorted((row[2] for row in present), key=lambda value: (value is not None, -(value or 0)))
        for size, restores in ((1, False), (7, False), (100, False), (4, True)):
            given = play(by_value(), INPUTS, steps, size=size, restores=restores)
            assert {kind for kind, _ in given} <= {"+I"}
            assert [row[2] for _, row in given] == expected, f"seed {seed}, batches of {size}"
            assert Counter(row for _, row in given) == Counter(present), f"seed {seed}, batches of {size}"


def test_nothing_comes_before_the_end_and_nothing_again_after_it(play: Any) -> None:
    assert play(by_value(), INPUTS, []) == []
    steps = [(0, "+I", (1, 1, 1)), (0, "-D", (2, 1, 1)), (0, "+I", (1, 1, 1)), (0, "+I", (3, 1, 2))]
    assert [row[0] for _, row in play(by_value(), INPUTS, steps)] == [3, 1, 1]
    given: list[Any] = []
    state = play.run._states[-1]
    by_value().end_of_input(0, state, given.append)
    assert given == []
    assert state.metrics.ignored_retractions == 1


def test_zeros_stay_what_they_are(play: Any) -> None:
    schema = pa.schema([("x", pa.float64()), ("t", pa.timestamp("us"))])
    steps = [(0, "+I", (0.0, 1)), (0, "+I", (-0.0, 1)), (0, "-D", (0.0, 1))]
    given = play(SortAtEnd(schema, [SortKey(0)]), ((schema, 1),), steps)
    assert repr(given[0][1][0]) == "-0.0"
