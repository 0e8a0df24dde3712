"""Streaming patterns: the matches are those over the sorted rows without the late ones, which the recognizer finds in sorted input."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from table_common.expressions import (
    ANY_VARIABLE,
    AfterMatch,
    CallExpression,
    FieldReferenceExpression,
    PatternDefinition,
    PatternExpression,
    PatternVariable,
    RowNavigation,
)
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BooleanType, IntType
from table_runtime.columns.ordering import SortKey, sort_indices
from table_runtime.expressions import EvaluationContext
from table_runtime.patterns import MatchRecognizer, MatchState, PatternSpec
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.operators.match_recognize import MatchRecognize
from table_testing.rounds import NIGHT

SCHEMA = pa.schema([("k", pa.int32()), ("t", pa.timestamp("us")), ("v", pa.int32()), ("id", pa.int32())])
INPUTS = ((SCHEMA, 1),)
VALUE = FieldReferenceExpression("v", IntType(), 0, 2)
NUMBER = FieldReferenceExpression("id", IntType(), 0, 3)


def slot(position: int) -> FieldReferenceExpression:
    return FieldReferenceExpression(f"v{position}", IntType(), 0, position)


def greater(variable: str, other: str) -> PatternDefinition:
    """``variable`` is a row whose value exceeds the last one of ``other``."""
    values = (RowNavigation(variable, VALUE), RowNavigation(other, VALUE))
    condition = CallExpression(BUILT_INS_BY_NAME["GREATER_THAN"], (slot(0), slot(1)), BooleanType())
    return PatternDefinition(variable, PatternExpression(condition, values))


def spec(*, keyed: bool = True, ties: bool = False, **options: Any) -> PatternSpec:
    """PATTERN (A B+ C): B rises, and C falls below A; measures are the ids of the first and the last row."""
    variables = (PatternVariable("A"), PatternVariable("B", 1, None), PatternVariable("C"))
    definitions = (greater("B", "A"), PatternDefinition("C", falls()))
    values = (RowNavigation(ANY_VARIABLE, NUMBER, True), RowNavigation(ANY_VARIABLE, NUMBER))
    measures = tuple(PatternExpression(slot(0), (value,)) for value in values)
    output = pa.schema([*([("k", pa.int32())] if keyed else []), ("first", pa.int32()), ("last", pa.int32())])
    orders = (SortKey(1), SortKey(3, ascending=False)) if ties else (SortKey(1),)
    return PatternSpec(SCHEMA, output, (0,) if keyed else (), orders, variables, definitions, measures, **options)


def falls() -> PatternExpression:
    values = (RowNavigation("C", VALUE), RowNavigation("A", VALUE))
    return PatternExpression(CallExpression(BUILT_INS_BY_NAME["LESS_THAN"], (slot(0), slot(1)), BooleanType()), values)


def random_steps(chance: random.Random, length: int) -> list[Any]:
    time, result = 100, []
    for number in range(length):
        time += chance.choice([0, 1, 2, 5])
        row = (chance.choice([None, 1, 2]), max(1, time - chance.choice([0, 0, 0, 3, 20])), chance.choice([None, *range(8)]), number)
        result.append((0, "+I", row))
    return result


def matches_in_order(pattern: PatternSpec, rows: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Returns the matches in some rows, which are sorted as a whole."""
    columns = [
        pa.array(list(values), field.type) for values, field in zip(zip(*rows, strict=True), SCHEMA, strict=True) if field.name != "t"
    ]
    columns.insert(1, pa.array([row[1] for row in rows], pa.timestamp("ms")).cast(pa.timestamp("us")))
    batch = pa.RecordBatch.from_arrays(columns, schema=SCHEMA)
    recognizer, state = MatchRecognizer(pattern, EvaluationContext()), MatchState()
    found = recognizer.process_sorted(batch.take(sort_indices(batch.columns, pattern.sort_keys)), state) + recognizer.finish(state)
    return [tuple(row.values()) for one in found for row in one.to_pylist()]


CUTS = ((1, False), (3, False), (100, False), (1, True), (4, True))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"keyed": False},
        {"ties": True},
        {"within": 8},
        {"after_match": AfterMatch.TO_NEXT_ROW},
        {"after_match": AfterMatch.TO_NEXT_ROW, "within": 15, "keyed": False},
    ],
    ids=str,
)
def test_matches_are_those_of_the_sorted_rows_wherever_batches_are_cut(play: Any, event_time: Any, options: dict[str, Any]) -> None:
    pattern = spec(**options)
    found = 0
    for seed in range(5):  # all of them, because few rows match
        chance = random.Random(f"{options} {seed}")
        timing = {"delay": chance.choice([0, 4, 12]), "interval": chance.choice([0, 4])}
        steps = random_steps(chance, 80)
        clock, in_time = event_time(1, **timing), []
        for _, _, row in steps:
            if row[1] > clock.current:
                in_time.append(row)
            clock.advance(0, row[1])
        expected = sorted(matches_in_order(pattern, in_time), key=repr)
        found += len(expected)
        orders = []
        for size, restores in CUTS if NIGHT else CUTS[::2]:
            operator = MatchRecognize(pattern, EvaluationContext(), is_processing_time=False)
            given = play(operator, INPUTS, steps, size=size, restores=restores, **timing)
            case = f"seed {seed}, {timing}, batches of {size}, restored: {restores}"
            orders.append([row for _, row in given])
            assert sorted(orders[-1], key=repr) == expected, case
            assert play.late_rows == len(steps) - len(in_time), case
        assert orders == [orders[0]] * len(orders), f"seed {seed}, {timing}"
    assert found


def test_matches_of_several_partitions_come_in_the_order_of_time(play: Any) -> None:
    ones, twos = [(102, 5), (104, 7), (105, 3), (106, 5), (109, 9), (110, 1)], [(101, 5), (103, 7), (105, 4), (107, 5), (108, 8), (110, 1)]
    values = sorted([(time, key, value) for key, rows in ((2, twos), (1, ones)) for time, value in rows], key=lambda row: row[0])
    steps = [(0, "+I", (key, time, value, number)) for number, (time, key, value) in enumerate(values)]
    for size in (1, 5, 100):
        operator = MatchRecognize(spec(), EvaluationContext(), is_processing_time=False)
        given = play(operator, INPUTS, steps, size=size, delay=2)
        assert [row for _, row in given] == [(2, 0, 4), (1, 1, 5), (2, 7, 10), (1, 6, 11)], size


def test_within_bounds_the_state(play: Any) -> None:
    steps = [(0, "+I", (number % 3, 100 + number, number % 7, number)) for number in range(2000)]
    operator = MatchRecognize(spec(within=10), EvaluationContext(), is_processing_time=False)
    play(operator, INPUTS, steps, size=50)
    assert play.rows_in_state < 60


def test_by_processing_time_matches_come_with_their_last_row(context: ExecutionContext, change_batch: Any) -> None:
    operator = MatchRecognize(spec(), EvaluationContext(), is_processing_time=True)
    state = operator.create_state(context)
    given: list[list[Any]] = []
    for number, value in enumerate([5, 7, 3, 4, 6, 1]):
        given.append([])
        changes = change_batch([("+I", (1, number, value, number))], SCHEMA)
        operator.process(changes, 0, state, lambda batch: given[-1].extend(tuple(row.values()) for row in batch.rows.to_pylist()))
    assert given == [[], [], [(1, 0, 2)], [], [], [(1, 3, 5)]]
