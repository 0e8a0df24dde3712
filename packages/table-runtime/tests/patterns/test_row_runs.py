"""Matches found from all rows at once are those of the automaton that advances row by row."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.expressions import (
    ANY_VARIABLE,
    AfterMatch,
    CallExpression,
    FieldReferenceExpression,
    PatternAggregate,
    PatternDefinition,
    PatternExpression,
    PatternVariable,
    RowNavigation,
    ValueLiteralExpression,
)
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, BooleanType, IntType, TimestampType
from table_runtime.columns.ordering import SortKey
from table_runtime.expressions import EvaluationContext
from table_runtime.patterns import MatchRecognizer, MatchState, PatternSpec, row_runs
from table_runtime.patterns import recognizer as recognizer_module
from table_runtime.patterns.row_runs import RowRuns
from table_testing.rounds import rounds

INPUT = pa.schema([("key", pa.int32()), ("ts", pa.timestamp("ms")), ("price", pa.int32())])
OUTPUT = pa.schema([("key", pa.int32()), ("first", pa.timestamp("ms")), ("b", pa.int32()), ("n", pa.int64())])
PRICE, TIME = FieldReferenceExpression("price", IntType(), 0, 2), FieldReferenceExpression("ts", TimestampType(3), 0, 1)
KINDS = [(1, 1), (0, None), (1, None), (0, 1), (2, 2), (1, 3), (2, None)]


def _definition(name: str, operator: str, limit: int) -> PatternDefinition:
    value, constant = FieldReferenceExpression("v", IntType(), 0, 0), ValueLiteralExpression(limit, IntType(nullable=False))
    comparison = CallExpression(BUILT_INS_BY_NAME[operator], (value, constant), BooleanType())
    return PatternDefinition(name, PatternExpression(comparison, (RowNavigation(name, PRICE),)))


def _definition_over_rows(random: Random, name: str, names: str) -> PatternDefinition:
    """Returns a condition that compares the row with another one of the match, or is true if there is no other."""
    value, other = (FieldReferenceExpression(text, IntType(), 0, place) for place, text in enumerate("vw"))
    of = random.choice([name, name, *names, "Z", ANY_VARIABLE])  # Z is not in the pattern
    navigation = RowNavigation(of, PRICE, random.random() < 0.3, random.choice([0, 0, 1, 1, 2]))
    condition = CallExpression(BUILT_INS_BY_NAME[random.choice(["LESS_THAN", "GREATER_THAN", "NOT_EQUALS"])], (value, other), BooleanType())
    if random.random() < 0.5:
        absent = CallExpression(BUILT_INS_BY_NAME["IS_NULL"], (other,), BooleanType(nullable=False))
        condition = CallExpression(BUILT_INS_BY_NAME["OR"], (condition, absent), BooleanType())
    if random.random() < 0.2:
        added = CallExpression(BUILT_INS_BY_NAME["PLUS"], (value, other), IntType())
        condition = CallExpression(
            BUILT_INS_BY_NAME["LESS_THAN"], (added, ValueLiteralExpression(9, IntType(nullable=False))), BooleanType()
        )
    return PatternDefinition(name, PatternExpression(condition, (RowNavigation(name, PRICE), navigation)))


def _spec(random: Random, *, over_rows: bool = False) -> PatternSpec:
    names = "ABCD"[: random.randint(1, 4)]
    variables = [PatternVariable(name, *random.choice(KINDS), random.random() < 0.8) for name in names]
    variables[-1] = PatternVariable(names[-1])
    definitions = [_definition(name, random.choice(["LESS_THAN", "GREATER_THAN"]), random.randint(2, 7)) for name in names]
    if over_rows:
        definitions = [one if random.random() < 0.4 else _definition_over_rows(random, one.variable, names) for one in definitions]
    if random.random() < 0.3:
        definitions.pop(random.randrange(len(definitions)))
    after = random.choice([*AfterMatch, AfterMatch.PAST_LAST_ROW, AfterMatch.TO_NEXT_ROW])
    target = random.choice(names) if after in (AfterMatch.TO_FIRST, AfterMatch.TO_LAST) else None
    values: list[Any] = [
        RowNavigation(ANY_VARIABLE, TIME, True),
        RowNavigation("B", PRICE),
        PatternAggregate(ANY_VARIABLE, BUILT_INS_BY_NAME["COUNT"], (), BigIntType(nullable=False)),
    ]
    types = [TimestampType(3), IntType(), BigIntType(nullable=False)]
    measures = tuple(
        PatternExpression(FieldReferenceExpression("m", type_, 0, 0), (value,)) for value, type_ in zip(values, types, strict=True)
    )
    within = random.choice([None, None, 3, 20])
    return PatternSpec(INPUT, OUTPUT, (0,), (SortKey(1),), tuple(variables), tuple(definitions), measures, after, target, within)


def _rows(random: Random, partitions: Sequence[int]) -> pa.RecordBatch:
    rows = [(key, time, random.choice([*range(10), None])) for key, count in enumerate(partitions) for time in range(count)]
    keys, times, prices = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays(
        [pa.array(keys, pa.int32()), pa.array(times, pa.timestamp("ms")), pa.array(prices, pa.int32())], schema=INPUT
    )


def _found(spec: PatternSpec, rows: pa.RecordBatch, size: int) -> list[Any] | str:
    recognizer, state = MatchRecognizer(spec, EvaluationContext()), MatchState()
    try:
        batches = [b for start in range(0, rows.num_rows, size) for b in recognizer.process_sorted(rows.slice(start, size), state)]
        return [row for batch in [*batches, *recognizer.finish(state)] for row in batch.to_pylist()]
    except TableRuntimeException as error:
        return str(error)


@pytest.mark.parametrize("seed", rounds(40))
def test_matches_are_those_of_the_automaton(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    spec = _spec(random)
    rows = _rows(random, [random.choice([1, 2, 30, 200]) for _ in range(random.choice([1, 5, 20]))])
    size = random.choice([7, 50, 10_000])
    monkeypatch.setattr(recognizer_module, "_WORTH_NUMPY", 1 << 60)
    expected = _found(spec, rows, size)
    monkeypatch.setattr(recognizer_module, "_WORTH_NUMPY", 0)
    assert _found(spec, rows, size) == expected


@pytest.mark.parametrize("seed", rounds(80))
def test_matches_of_conditions_over_several_rows_are_those_of_the_automaton(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    spec = _spec(random, over_rows=True)
    rows = _rows(random, [random.choice([1, 2, 30, 200]) for _ in range(random.choice([1, 5, 20]))])
    size = random.choice([7, 50, 10_000])
    monkeypatch.setattr(recognizer_module, "_WORTH_NUMPY", 1 << 60)
    expected = _found(spec, rows, size)
    monkeypatch.setattr(recognizer_module, "_WORTH_NUMPY", 0)
    monkeypatch.setattr(row_runs._AskedSteps, "least", 0)
    assert _found(spec, rows, size) == expected


def test_a_condition_that_fails_is_evaluated_row_by_row() -> None:
    """It fails for rows that are in a match before they are candidates, so it must not fail."""
    value, first = (FieldReferenceExpression(text, IntType(), 0, place) for place, text in enumerate("vw"))
    quotient = CallExpression(BUILT_INS_BY_NAME["DIVIDE"], (value, first), IntType())
    condition = CallExpression(
        BUILT_INS_BY_NAME["GREATER_THAN"], (quotient, ValueLiteralExpression(0, IntType(nullable=False))), BooleanType()
    )
    over_rows = PatternDefinition("B", PatternExpression(condition, (RowNavigation("B", PRICE), RowNavigation("A", PRICE))))
    variables = (PatternVariable("A"), PatternVariable("B"), PatternVariable("C"))
    spec = PatternSpec(INPUT, OUTPUT, (0,), (SortKey(1),), variables, (over_rows,), _spec(Random(0)).measures)
    count = 3_000
    prices = [1, 1, 0] * (count // 3)
    rows = pa.RecordBatch.from_arrays(
        [pa.array([0] * count, pa.int32()), pa.array(range(count), pa.timestamp("ms")), pa.array(prices, pa.int32())], schema=INPUT
    )
    assert len(_found(spec, rows, count)) == count // 3


@pytest.mark.parametrize(("steps", "is_used"), [(16, True), (1, False)])
def test_matches_that_overlap_much_are_left_to_the_automaton(steps: int, is_used: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[bool] = []
    of = RowRuns.of

    def watched(*arguments: Any) -> RowRuns | None:
        runs = of(*arguments)
        used.append(runs is not None)
        return runs

    monkeypatch.setattr(row_runs.RowRuns, "of", watched)
    monkeypatch.setattr(row_runs, "MOST_STEPS", steps)
    definitions = (_definition("A", "GREATER_THAN", 2), _definition("B", "LESS_THAN", 8), _definition("C", "GREATER_THAN", 7))
    measures = _spec(Random(0)).measures
    variables = (PatternVariable("A"), PatternVariable("B", 1, None), PatternVariable("C"))
    spec = PatternSpec(INPUT, OUTPUT, (0,), (SortKey(1),), variables, definitions, measures)
    found = _found(spec, _rows(Random(3), [2_000, 500]), 10_000)
    assert used[0] is is_used
    assert len(found) > 100
