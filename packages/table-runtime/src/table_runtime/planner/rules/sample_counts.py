"""Estimates of filters that are counted: the predicate is evaluated on a sample of the table below it.

Statements repeat the predicates of earlier ones, and a statement is estimated more than once while it is planned. So counts are kept as long
as the sample has the same version.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence

import pyarrow as pa

from table_api.operations import SourceQueryOperation
from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.exceptions import TableError
from table_common.expressions import CallExpression, ResolvedExpression, is_deterministic, references
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions import BuiltInFunctionDefinition
from table_common.tree import preorder
from table_runtime.expressions import EvaluationContext, Evaluator
from table_runtime.planner.rules.column_estimates import Estimate, Range, as_number, bounded
from table_runtime.sources.sample import SupportsSample, TableSample

FEWEST_COUNTED = 0.5
"""Rows that count as kept if a part of a table has none: another part may have some."""
MOST_COUNTS = 2_000
"""Counts that are kept; the least recently used ones are dropped."""


@dataclass(frozen=True, slots=True)
class _Column:
    """The values of a column that remain: distinct ones, their range if they are integers, and the share of NULL."""

    distinct: float
    range: Range | None
    nulls: float


@dataclass(frozen=True, slots=True)
class _Count:
    """The rows of a sample that a predicate keeps; of a complete sample also what remains in the columns, by name."""

    kept: int
    rows: int
    is_complete: bool
    columns: Mapping[str, _Column]


_FAILED = _Count(0, 0, False, {})
"""The count of a predicate that raises for a row of the sample: the query reports it, if it gets there."""
_counts: OrderedDict[Hashable, _Count] = OrderedDict()
_lock = threading.Lock()


def counted_estimate(
    condition: ResolvedExpression, scan: SourceQueryOperation, child: Estimate, evaluation: EvaluationContext
) -> Estimate | None:
    """Returns the estimate of a filter directly above a scan, whose estimate is ``child``; None if there is nothing to count."""
    source: object = scan.source
    if not isinstance(source, SupportsSample) or scan.pushed.reduces_rows or not _is_built_in(condition):
        return None
    columns = scan.resolved_schema.columns
    read = sorted({position for _, position in references([condition])})
    sample = source.sample([columns[position].name for position in read])
    if sample is None:
        return None
    # Columns of which something is known; without a filter there is nothing better than their statistics.
    known = {position: columns[position].name for position, one in enumerate(child.columns) if one.is_integer or one.distinct < child.rows}
    key: Hashable = None
    if sample.version is not None and _is_hashable(condition):
        names = tuple((position, columns[position].name) for position in read)
        key = sample.version, condition, names, tuple(known.values()), evaluation.time_zone, evaluation.legacy_casts
    count = _kept_count(key)
    if count is None:
        mask = _evaluated(condition, scan, read, sample, evaluation)
        count = _FAILED if mask is None else _count(mask, sample, source, list(known.values()))
        _keep(key, count)
    return None if count is _FAILED else _limited(child, count, known)


def _is_hashable(condition: ResolvedExpression) -> bool:
    """Returns whether a predicate can be a key: constants of arrays and maps cannot."""
    try:
        hash(condition)
    except TypeError:
        return False
    return True


def _kept_count(key: Hashable) -> _Count | None:
    with _lock:
        found = None if key is None else _counts.get(key)
        if found is not None:
            _counts.move_to_end(key)
        return found


def _keep(key: Hashable, count: _Count) -> None:
    if key is None:
        return
    with _lock:
        _counts[key] = count
        while len(_counts) > MOST_COUNTS:
            _counts.popitem(last=False)


def _limited(child: Estimate, count: _Count, known: Mapping[int, str]) -> Estimate:
    if not count.is_complete:
        return child.limited(child.rows * max(count.kept, FEWEST_COUNTED) / count.rows, keeps_ranges=False)
    result = child.limited(count.kept)
    made = list(result.columns)
    for position, name in known.items():
        values = count.columns.get(name)
        if values is not None:
            column = made[position]
            made[position] = replace(
                column,
                distinct=min(max(1.0, values.distinct), bounded(count.kept)),
                range=values.range if column.is_integer and count.kept else column.range,
                nulls=values.nulls if count.kept else column.nulls,
            )
    return Estimate(result.rows, tuple(made))


def _count(mask: pa.Array, sample: TableSample, source: SupportsSample, names: Sequence[str]) -> _Count:
    kept = mask.true_count
    columns: dict[str, _Column] = {}
    if sample.is_complete and kept < sample.rows:
        values = source.sample(names)
        if values is not None and values.rows == sample.rows:
            columns = {name: _measured(pc.filter(values.columns[name], mask)) for name in names}
    return _Count(kept, sample.rows, sample.is_complete, columns)


def _measured(values: pa.Array) -> _Column:
    if not len(values):
        return _Column(1.0, None, 0.0)
    range_: Range | None = None
    if pa.types.is_integer(values.type) or pa.types.is_date(values.type):
        bounds = pc.min_max(values).as_py()
        low, high = as_number(bounds["min"]), as_number(bounds["max"])
        range_ = None if low is None or high is None else (low, high)
    return _Column(float(pc.count_distinct(values, mode="only_valid").as_py()), range_, values.null_count / len(values))


def _is_built_in(condition: ResolvedExpression) -> bool:
    """Returns whether the condition may be evaluated while planning: it gives the same result again, and runs no code of users."""
    return is_deterministic([condition]) and all(
        isinstance(node.function, BuiltInFunctionDefinition)
        for node in preorder(condition, ResolvedExpression)
        if isinstance(node, CallExpression)
    )


def _evaluated(
    condition: ResolvedExpression, scan: SourceQueryOperation, positions: list[int], sample: TableSample, evaluation: EvaluationContext
) -> pa.Array | None:
    columns = scan.resolved_schema.columns
    arrays = [
        sample.columns[column.name] if position in positions else pa.nulls(sample.rows, to_arrow_type(column.data_type))
        for position, column in enumerate(columns)
    ]
    try:
        batch = pa.RecordBatch.from_arrays(arrays, names=[f"c{position}" for position in range(len(arrays))])
        return Evaluator([condition], evaluation).evaluate_filter(batch)
    except (TableError, pa.ArrowException, ArithmeticError):
        return None
