"""The matcher against one that writes out every way to give rows to variables, on small random inputs and patterns."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    ResolvedExpression,
    RowNavigation,
    ValueLiteralExpression,
)
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, BooleanType, IntType, TimestampType
from table_runtime.columns.ordering import SortKey
from table_runtime.expressions import EvaluationContext
from table_runtime.patterns import MatchRecognizer, MatchState, PatternSpec
from table_runtime.patterns import recognizer as recognizer_module
from table_runtime.patterns.recognizer import END_OF_TIME

NAMES = ("A", "B", "C")
INPUT = pa.schema([("key", pa.int32()), ("ts", pa.timestamp("ms")), ("price", pa.int32())])
OUTPUT = pa.schema([("key", pa.int32()), ("first", pa.timestamp("ms")), ("last", pa.timestamp("ms")), ("b", pa.int32()), ("n", pa.int64())])
PRICE = FieldReferenceExpression("price", IntType(), 0, 2)
TIMESTAMP = TimestampType(3)
TIME = FieldReferenceExpression("ts", TIMESTAMP, 0, 1)
START = datetime(2020, 1, 1)
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "LESS_THAN": lambda a, b: a < b,
    "GREATER_THAN": lambda a, b: a > b,
    "NOT_EQUALS": lambda a, b: a != b,
}


@dataclass(frozen=True)
class Condition:
    """``price`` of the row, or a value of the match, compared with a constant or another price."""

    kind: str
    operator: str
    constant: int
    other: str

    def expression(self, own: str) -> PatternExpression:
        current = RowNavigation(own, PRICE)
        constant: ResolvedExpression = ValueLiteralExpression(self.constant, IntType(nullable=False))
        match self.kind:
            case "row":
                return self._compared((current,), constant)
            case "before":
                return self._compared((current, RowNavigation(own, PRICE, False, 1)))
            case "first":
                return self._compared((current, RowNavigation(ANY_VARIABLE, PRICE, True, 0)))
            case "other":
                return self._compared((current, RowNavigation(self.other, PRICE)))
            case "sum":
                return self._compared((PatternAggregate(own, BUILT_INS_BY_NAME["SUM"], (PRICE,), IntType()),), constant)
            case _:
                return self._compared(
                    (PatternAggregate(ANY_VARIABLE, BUILT_INS_BY_NAME["COUNT"], (), BigIntType(nullable=False)),), constant
                )

    def _compared(self, values: tuple[RowNavigation | PatternAggregate, ...], *more: ResolvedExpression) -> PatternExpression:
        references = [FieldReferenceExpression(f"v{i}", getattr(v, "output_type", IntType()), 0, i) for i, v in enumerate(values)]
        return PatternExpression(CallExpression(BUILT_INS_BY_NAME[self.operator], (*references, *more), BooleanType()), values)

    def holds(self, own: str, labels: Sequence[str], prices: Sequence[int | None], row: int) -> bool:
        """``labels`` are the variables of the rows before ``row``, of which the first is ``row - len(labels)``."""
        first = row - len(labels)

        def of(name: str) -> list[int | None]:
            found = [prices[first + i] for i, label in enumerate(labels) if label == name]
            return [*found, prices[row]] if name == own else found

        current = prices[row]
        left: int | None = current
        right: int | None = self.constant
        match self.kind:
            case "before":
                right = of(own)[-2] if len(of(own)) > 1 else None
            case "first":
                right = prices[first]
            case "other":
                right = of(self.other)[-1] if of(self.other) else None
            case "sum":
                known = [price for price in of(own) if price is not None]
                left = sum(known) if known else None
            case "count":
                left = len(labels) + 1
        return left is not None and right is not None and _OPERATORS[self.operator](left, right)


@dataclass(frozen=True)
class Problem:
    variables: tuple[PatternVariable, ...]
    conditions: tuple[Condition | None, ...]
    after_match: AfterMatch
    target: str | None
    within: int | None

    def spec(self) -> PatternSpec:
        definitions = tuple(
            PatternDefinition(v.name, c.expression(v.name)) for v, c in zip(self.variables, self.conditions, strict=True) if c is not None
        )
        values: list[RowNavigation | PatternAggregate] = [
            RowNavigation(ANY_VARIABLE, TIME, True),
            RowNavigation(ANY_VARIABLE, TIME),
            RowNavigation("B", PRICE),
            PatternAggregate(ANY_VARIABLE, BUILT_INS_BY_NAME["COUNT"], (), BigIntType(nullable=False)),
        ]
        types = [TIMESTAMP, TIMESTAMP, IntType(), BigIntType(nullable=False)]
        measures = tuple(
            PatternExpression(FieldReferenceExpression("m", type_, 0, 0), (value,)) for value, type_ in zip(values, types, strict=True)
        )
        keys = (SortKey(1),)
        return PatternSpec(INPUT, OUTPUT, (0,), keys, self.variables, definitions, measures, self.after_match, self.target, self.within)

    def greedy(self, variable: int) -> bool:
        it = self.variables[variable]
        return it.greedy and it.minimum != it.maximum and (it.minimum, it.maximum) != (0, 1)

    def fulfills(self, variable: int, labels: Sequence[str], prices: Sequence[int | None], row: int) -> bool:
        condition = self.conditions[variable]
        return condition is None or condition.holds(self.variables[variable].name, labels, prices, row)

    def can_follow(self, labels: Sequence[str], variable: int, prices: Sequence[int | None], row: int) -> bool:
        """Whether ``row`` may be of the variable after rows with these labels, which are a prefix of a match."""
        last = self.index(labels[-1]) if labels else 0
        passed = range(last, variable)
        if variable < last or not self.fulfills(variable, labels, prices, row):
            return False
        if labels and variable == last:
            return self.has_room(labels, last)
        if any(self.count(labels, v) < self.variables[v].minimum for v in passed):
            return False
        return not any(self.greedy(v) and self.fulfills(v, labels, prices, row) for v in passed)

    def has_room(self, labels: Sequence[str], variable: int) -> bool:
        most = self.variables[variable].maximum
        return most is None or self.count(labels, variable) < most

    def is_prefix(self, labels: Sequence[str], prices: Sequence[int | None], start: int) -> bool:
        return all(self.can_follow(labels[:i], self.index(labels[i]), prices, start + i) for i in range(len(labels)))

    def goes_on(self, labels: Sequence[str]) -> bool:
        last = self.index(labels[-1])
        return last < len(self.variables) - 1 or self.has_room(labels, last)

    def is_complete(self, labels: Sequence[str], prices: Sequence[int | None], start: int) -> bool:
        last = self.index(labels[-1])
        if any(self.count(labels, v) < self.variables[v].minimum for v in range(len(self.variables))):
            return False
        row = start + len(labels) - 1
        return not any(self.greedy(v) and self.fulfills(v, labels[:-1], prices, row) for v in range(last, len(self.variables) - 1))

    def count(self, labels: Sequence[str], variable: int) -> int:
        return list(labels).count(self.variables[variable].name)

    def index(self, name: str) -> int:
        return [v.name for v in self.variables].index(name)

    def next_start(self, start: int, labels: Sequence[str]) -> int | None:
        """The first row of the next match; None if the search cannot continue."""
        match self.after_match:
            case AfterMatch.PAST_LAST_ROW:
                return start + len(labels)
            case AfterMatch.TO_NEXT_ROW:
                return start + 1
        places = [start + i for i, label in enumerate(labels) if label == self.target]
        place = None if not places else places[0] if self.after_match is AfterMatch.TO_FIRST else places[-1]
        return None if place == start else place


Found = tuple[int, tuple[str, ...]]


def by_brute_force(problem: Problem, prices: Sequence[int | None], times: Sequence[int]) -> list[Found] | None:
    """The matches as (first row, labels); None if the search fails."""
    names = [v.name for v in problem.variables]
    prefixes: list[list[Found]] = []
    complete: list[list[Found]] = []
    for row in range(len(prices)):
        ways = [
            (start, labels)
            for start in range(row + 1)
            for labels in itertools.product(names, repeat=row - start + 1)
            if problem.is_prefix(labels, prices, start) and (problem.within is None or times[row] - times[start] < problem.within)
        ]
        prefixes.append([way for way in ways if problem.goes_on(way[1])])
        complete.append([way for way in ways if problem.is_complete(way[1], prices, way[0])])
    emitted: list[Found] = []
    waiting: list[Found] = []
    cut = 0

    def settle(alive: list[Found]) -> bool:
        nonlocal cut, waiting
        while True:
            waiting = [way for way in waiting if way[0] >= cut]
            if not waiting:
                return True
            best = min(waiting, key=lambda way: (way[0], len(way[1]), [names.index(n) for n in way[1]]))
            if any(cut <= start < best[0] for start, _ in alive):
                return True
            emitted.append(best)
            following = problem.next_start(*best)
            if following is None:
                return False
            cut = max(cut, following)

    for row in range(len(prices)):
        if problem.within is not None and row:
            alive = [way for way in prefixes[row - 1] if times[row] - times[way[0]] < problem.within]
            if not settle(alive):
                return None
        waiting += [way for way in complete[row] if way[0] >= cut]
        if not settle(prefixes[row]):
            return None
    if problem.within is not None and not settle([]):
        return None
    return emitted


# --- random problems --------------------------------------------------------------------------------------------------------------


@st.composite
def variables_of(draw: st.DrawFn) -> tuple[PatternVariable, ...]:
    """Patterns that SQL accepts: not all optional, not greedy at the end."""
    kinds = [(1, 1), (0, None), (1, None), (0, 1), (2, 2), (1, 2), (0, 2), (2, None)]
    found = []
    for name in NAMES[: draw(st.integers(1, 3))]:
        minimum, maximum = draw(st.sampled_from(kinds))
        found.append(PatternVariable(name, minimum, maximum, draw(st.booleans()) or (minimum, maximum) == (0, 1)))
    if all(variable.minimum == 0 for variable in found):
        found[0] = PatternVariable(found[0].name)
    last = found[-1]
    if last.greedy and last.minimum != last.maximum and (last.minimum, last.maximum) != (0, 1):
        found[-1] = PatternVariable(last.name, last.minimum, last.maximum, False)
    return tuple(found)


CONDITIONS = st.builds(
    Condition,
    st.sampled_from(["row", "row", "before", "first", "other", "sum", "count"]),
    st.sampled_from(sorted(_OPERATORS)),
    st.integers(0, 4),
    st.sampled_from(NAMES),
)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    variables = draw(variables_of())
    conditions = tuple(draw(st.one_of(st.none(), CONDITIONS)) for _ in variables)
    after_match = draw(st.sampled_from([*AfterMatch, AfterMatch.PAST_LAST_ROW, AfterMatch.TO_NEXT_ROW]))
    target = draw(st.sampled_from([v.name for v in variables])) if after_match in (AfterMatch.TO_FIRST, AfterMatch.TO_LAST) else None
    return Problem(variables, conditions, after_match, target, draw(st.one_of(st.none(), st.none(), st.integers(2, 4))))


PRICES = st.lists(st.one_of(st.integers(0, 4), st.integers(0, 4), st.none()), min_size=3, max_size=6)
PARTITIONS = st.lists(PRICES, min_size=1, max_size=3)


def batch_of(rows: Sequence[tuple[int, int, int | None]]) -> pa.RecordBatch:
    """Rows of (partition, milliseconds, price)."""
    keys, times, prices = zip(*rows, strict=True) if rows else ((), (), ())
    stamps = [START + timedelta(milliseconds=time) for time in times]
    columns = [pa.array(keys, pa.int32()), pa.array(stamps, pa.timestamp("ms")), pa.array(prices, pa.int32())]
    return pa.RecordBatch.from_arrays(columns, schema=INPUT)


def rows_of(batches: Sequence[pa.RecordBatch]) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


def expected_rows(problem: Problem, partitions: Sequence[Sequence[int | None]]) -> list[tuple[Any, ...]] | None:
    """What the operator yields for partitions in which each row is a millisecond after the other; None if it fails."""
    expected = []
    for key, prices in enumerate(partitions):
        found = by_brute_force(problem, prices, range(len(prices)))
        if found is None:
            return None
        for start, labels in found:
            of_b = [prices[start + i] for i, label in enumerate(labels) if label == "B"]
            times = (START + timedelta(milliseconds=start), START + timedelta(milliseconds=start + len(labels) - 1))
            expected.append((key, *times, of_b[-1] if of_b else None, len(labels)))
    return expected


def run(steps: Callable[[], list[pa.RecordBatch]]) -> list[tuple[Any, ...]] | None:
    try:
        return rows_of(steps())
    except TableRuntimeException:
        return None


@given(problems(), PARTITIONS, st.integers(1, 7), st.booleans())
def test_sorted_rows_give_the_matches_that_writing_out_all_ways_gives(
    problem: Problem, partitions: Any, size: int, is_vectorized: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recognizer_module, "_WORTH_NUMPY", 0 if is_vectorized else 1_000)
        _compare_sorted(problem, partitions, size)


def _compare_sorted(problem: Problem, partitions: Any, size: int) -> None:
    rows = [(key, time, price) for key, prices in enumerate(partitions) for time, price in enumerate(prices)]
    recognizer, state = MatchRecognizer(problem.spec(), EvaluationContext()), MatchState()

    def steps() -> list[pa.RecordBatch]:
        found = [b for start in range(0, len(rows), size) for b in recognizer.process_sorted(batch_of(rows[start : start + size]), state)]
        return found + recognizer.finish(state)

    assert run(steps) == expected_rows(problem, partitions)


@given(problems(), PARTITIONS, st.randoms(use_true_random=False), st.lists(st.integers(0, 6), max_size=4))
def test_watermarks_and_the_order_of_arrival_change_no_match(problem: Problem, partitions: Any, random: Any, watermarks: list[int]) -> None:
    rows = [(key, time, price) for key, prices in enumerate(partitions) for time, price in enumerate(prices)]
    base = int((START - datetime(1970, 1, 1)).total_seconds() * 1000)
    state, recognizer = MatchState(), MatchRecognizer(problem.spec(), EvaluationContext())

    def steps() -> list[pa.RecordBatch]:
        nonlocal state
        found, passed = [], -1
        for watermark in [*sorted(watermarks), 100]:
            now = [row for row in rows if passed < row[1] <= watermark + random.choice([0, 1])]
            now = [row for row in now if row not in taken]
            random.shuffle(now)
            taken.update(now)
            recognizer.process(batch_of(now), state)
            found += recognizer.on_watermark(base + watermark, state)
            state = pickle.loads(pickle.dumps(state))
            passed = watermark
        return found + recognizer.on_watermark(END_OF_TIME, state)

    taken: set[tuple[int, int, int | None]] = set()
    found, expected = run(steps), expected_rows(problem, partitions)
    assert (found is None) == (expected is None)
    assert sorted(found or [], key=str) == sorted(expected or [], key=str)
