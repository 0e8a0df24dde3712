"""Throughput of changelog operators: input rows per second of processor time, for the operator alone and for a whole query with INSERT.

    python benchmarks/changelog.py [--rows 10000000] [--only sum] [--repeat 1] [--skip-sql] [--smoke]

One fifth of the rows retract rows of the same batch, unless the line says otherwise. Arrow's thread pool has one thread. The fastest of ``--repeat``
runs counts. The query reads in-memory rows through FROM_CHANGELOG and writes to a ``blackhole`` table. The last lines measure one probe of a join
key with many rows, the cost of small batches, and the memory per key.
"""

from __future__ import annotations

import argparse
import gc
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from table_api import EnvironmentSettings, TableEnvironment
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType, DoubleType, LogicalType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.batch.joins.join_output import JoinKind
from table_runtime.columns.ordering import SortKey
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.group_aggregate import GroupAggregate
from table_runtime.streaming.operators.join import Join, JoinSide
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.operators.rank import Rank, RankWay

CODES = pa.array(["INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE"])


@dataclass(frozen=True)
class Case:
    """An operator with its input, and the equivalent query over the tables ``t0`` and ``t1``."""

    name: str
    operator: Callable[[pa.Schema], AnyOperator]
    query: str
    sink: str
    keys: int
    batch_rows: int = 1 << 16
    retractions: float = 0.2
    strings: bool = False
    floats: bool = False
    inputs: int = 1
    values: int = 1000
    least_rows: int = 0
    """The target, in rows per second of processor time."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--only", default="", help="part of the names of the cases to run")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--skip-sql", action="store_true")
    parser.add_argument("--smoke", action="store_true", help="few rows, as a smoke test")
    arguments = parser.parse_args()
    pa.set_cpu_count(1)
    rows = 4_000 if arguments.smoke else arguments.rows
    print(f"{'':44} {'operator':>10} {'query':>10} {'target':>10}  M rows per second of processor time")
    for case in CASES:
        if arguments.only in case.name:
            batches = list(_inputs(case, rows))
            pushed = max(_pushed(case, batches) for _ in range(arguments.repeat))
            queried = 0.0 if arguments.skip_sql else max(_queried(case, batches) for _ in range(arguments.repeat))
            target = f"{case.least_rows / 1e6:10.2f}" if case.least_rows else " " * 10
            print(f"{case.name:44} {pushed / 1e6:10.2f} {queried / 1e6:10.2f} {target}", flush=True)
    if arguments.only in "probe":
        _probe(min(1_000_000, rows))
    if arguments.only in "small batches":
        _small_batches(100 if arguments.smoke else 2_000)
    if arguments.only in "bytes per key":
        _bytes_per_key(rows)


def _pushed(case: Case, batches: Sequence[tuple[int, ChangeBatch]]) -> float:
    """Returns the throughput of an operator, in rows per second."""
    operator = case.operator(batches[0][1].rows.schema)
    gc.collect()
    with closing(ExecutionContext(parallelism=1)) as context:
        state = operator.create_state(context)
        started = time.process_time()
        for number, batch in batches:
            operator.process(batch, number, state, _discard)
        return sum(batch.num_rows for _, batch in batches) / (time.process_time() - started)


def _queried(case: Case, batches: Sequence[tuple[int, ChangeBatch]]) -> float:
    """Returns the throughput of a query, in rows per second, from its text to the end of INSERT."""
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()
    env = TableEnvironment.create(settings)
    env.get_config().set("table.dml-sync", "true")
    for number in range(case.inputs):
        parts = [_with_codes(batch) if case.retractions else batch.rows for side, batch in batches if side == number]
        env.create_temporary_view(f"log{number}", env.from_arrow(pa.Table.from_batches(parts)))
        source = f"FROM_CHANGELOG(TABLE log{number})" if case.retractions else f"log{number}"
        env.execute_sql(f"CREATE TEMPORARY VIEW t{number} AS SELECT * FROM {source}")
    env.execute_sql(f"CREATE TEMPORARY TABLE sink ({case.sink}) WITH ('connector' = 'blackhole')")
    gc.collect()
    started = time.process_time()
    env.execute_sql(f"INSERT INTO sink {case.query}")
    seconds = time.process_time() - started
    env.close()
    return sum(batch.num_rows for _, batch in batches) / seconds


def _with_codes(batch: ChangeBatch) -> pa.RecordBatch:
    kinds = np.zeros(batch.num_rows, np.int8) if batch.kinds is None else batch.kinds
    return batch.rows.append_column("op", CODES.take(pa.array(kinds)))


def _inputs(case: Case, rows: int) -> Iterator[tuple[int, ChangeBatch]]:
    """Yields batches of k and v with the index of their input."""
    chance = np.random.default_rng(3)
    size = min(case.batch_rows, max(rows // case.inputs, 1))
    for number, start in enumerate(range(0, rows, size)):
        count = min(size, rows - start)
        keys, values = chance.integers(0, case.keys, count), chance.integers(0, case.values, count)
        kinds = np.zeros(count, np.int8)
        half = count // 2
        retracted = np.flatnonzero(chance.random(half) < 2 * case.retractions)
        for column in (keys, values):
            column[half + retracted] = column[retracted]
        kinds[half + retracted] = 3
        key: pa.Array = pa.array(keys * 7919 + 13)
        if case.strings:
            key = pa.array([f"user-{one:09d}" for one in keys.tolist()])
        value = pa.array(values / 7 if case.floats else values)
        batch = ChangeBatch(pa.RecordBatch.from_arrays([key, value], names=["k", "v"]), kinds if case.retractions else None)
        yield number % case.inputs, batch


def _probe(rows: int) -> None:
    """Measures the join of one row with the many rows of its key."""
    schema = pa.schema([("k", pa.int64()), ("v", pa.int64())])
    operator = _join(0.2)(schema)
    with closing(ExecutionContext(parallelism=1)) as context:
        state = operator.create_state(context)
        for start in range(0, rows, 1 << 16):
            numbers = np.arange(start, min(start + (1 << 16), rows))
            batch = pa.RecordBatch.from_arrays([pa.array(np.zeros(len(numbers), np.int64)), pa.array(numbers)], schema=schema)
            operator.process(ChangeBatch(batch), 0, state, _discard)
        started = time.process_time()
        operator.process(ChangeBatch(pa.RecordBatch.from_pydict({"k": [0], "v": [1]}, schema=schema)), 1, state, _discard)
        print(f"one probe of a key with {rows} rows: {(time.process_time() - started) * 1000:.1f} ms (100)")


def _small_batches(batches: int) -> None:
    """Measures SUM and COUNT over 10,000 keys with batches of a few rows."""
    for size in (1, 10, 100):
        case = Case("", _sums(), "", "", keys=10_000, batch_rows=size)
        seconds = size / _pushed(case, list(_inputs(case, size * batches)))
        print(f"a batch of {size} rows: {seconds * 1e6:.0f} µs")


def _bytes_per_key(keys: int) -> None:
    """Measures the memory per key of SUM and COUNT, with one row per key."""
    operator = _sums()(pa.schema([("k", pa.int64()), ("v", pa.int64())]))
    with closing(ExecutionContext(parallelism=1)) as context:
        state = operator.create_state(context)
        gc.collect()
        before = _resident()
        for start in range(0, keys, 1 << 16):
            numbers = pa.array(np.arange(start, min(start + (1 << 16), keys)) * 7919)
            batch = pa.RecordBatch.from_arrays([numbers, numbers], names=["k", "v"])
            operator.process(ChangeBatch(batch), 0, state, _discard)
        gc.collect()
        grown = (_resident() - before) / keys
        print(f"{keys} keys: {grown:.0f} bytes per key (100 and 32 of the values; at most {_peak() / keys:.0f} at once, with the program)")


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _discard(batch: ChangeBatch) -> None:
    """Discards the output of an operator."""


def _aggregates(*calls: tuple[FunctionDefinition, bool], type_: LogicalType | None = None) -> Callable[[pa.Schema], AnyOperator]:
    """Returns a factory for an operator with GROUP BY k; each aggregate is a function (COUNT(*) if it has no argument) and whether it is DISTINCT."""
    value = type_ or BigIntType()

    def make(schema: pa.Schema) -> AnyOperator:
        columns = []
        for function, distinct in calls:
            has_argument = function is not fn.COUNT or distinct
            output = BigIntType(nullable=False) if function is fn.COUNT else value
            accumulator = make_accumulator(function, AggregateSpec(function.name, (value,) if has_argument else (), output, ()))
            columns.append(AggregateColumn(accumulator, (1,) if has_argument else (), distinct=distinct))
        fields = [schema.field(0), *(pa.field(f"a{i}", column.accumulator.spec.arrow_type) for i, column in enumerate(columns))]
        return GroupAggregate(pa.schema(fields), schema, (0,), columns, retracted=[True] * len(columns), gives_before=True)

    return make


def _sums(type_: LogicalType | None = None) -> Callable[[pa.Schema], AnyOperator]:
    return _aggregates((fn.SUM, False), (fn.COUNT, False), type_=type_)


def _join(retractions: float) -> Callable[[pa.Schema], AnyOperator]:
    def make(schema: pa.Schema) -> AnyOperator:
        sides = [JoinSide(schema, lambda rows: [rows.column(0)], has_retractions=retractions > 0) for _ in range(2)]
        both = pa.schema([field.with_name(f"{field.name}{side}") for side in range(2) for field in schema])
        return Join(both, JoinKind.INNER, (sides[0], sides[1]), [pa.int64()], [False])

    return make


def _top(way: RankWay) -> Callable[[pa.Schema], AnyOperator]:
    return lambda schema: Rank(schema, schema, (0,), (SortKey(1, False, False),), way=way, end=10, has_rank=False)


SUMS = "SELECT k, SUM(v), COUNT(*) FROM t0 GROUP BY k"
SUMS_SINK = "k BIGINT, s BIGINT, c BIGINT"
JOIN = "SELECT t0.k, t0.v, t1.k, t1.v FROM t0 JOIN t1 ON t0.k = t1.k"
JOIN_SINK = "k BIGINT, v BIGINT, l BIGINT, w BIGINT"
TOP = "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM t0) WHERE r <= 10"

CASES = (
    Case("sum and count, 10 k keys", _sums(), SUMS, SUMS_SINK, keys=10_000, least_rows=6_000_000),
    Case("sum and count, 1 M keys", _sums(), SUMS, SUMS_SINK, keys=1_000_000, least_rows=3_000_000),
    Case("sum and count, 1 M keys, batches of 4096", _sums(), SUMS, SUMS_SINK, keys=1_000_000, batch_rows=4096, least_rows=2_000_000),
    Case(
        "sum and count, 1 M keys of strings",
        _sums(),
        SUMS,
        "k STRING, s BIGINT, c BIGINT",
        keys=1_000_000,
        strings=True,
        least_rows=1_500_000,
    ),
    Case(
        "sum of doubles, 10 k keys",
        _aggregates((fn.SUM, False), type_=DoubleType()),
        "SELECT k, SUM(v) FROM t0 GROUP BY k",
        "k BIGINT, s DOUBLE",
        keys=10_000,
        floats=True,
        least_rows=4_000_000,
    ),
    Case(
        "max over updates, 10 k keys",
        _aggregates((fn.MAX, False)),
        "SELECT k, MAX(v) FROM t0 GROUP BY k",
        "k BIGINT, m BIGINT",
        keys=10_000,
    ),
    Case(
        "count distinct, 10 k keys",
        _aggregates((fn.COUNT, True)),
        "SELECT k, COUNT(DISTINCT v) FROM t0 GROUP BY k",
        "k BIGINT, c BIGINT",
        keys=10_000,
    ),
    Case(
        "join, insertions, 4 M keys",
        _join(0.0),
        JOIN,
        JOIN_SINK,
        keys=4_000_000,
        retractions=0.0,
        inputs=2,
        values=1 << 40,
        least_rows=2_000_000,
    ),
    Case(
        "join, a tenth retractions, 4 M keys",
        _join(0.1),
        JOIN,
        JOIN_SINK,
        keys=4_000_000,
        retractions=0.1,
        inputs=2,
        values=1 << 40,
        least_rows=1_000_000,
    ),
    Case(
        "top 10, insertions, 10 k keys",
        _top(RankWay.APPEND),
        TOP,
        "k BIGINT, v BIGINT",
        keys=10_000,
        retractions=0.0,
        values=1 << 40,
        least_rows=3_000_000,
    ),
    Case("top 10 over updates, 10 k keys", _top(RankWay.RETRACT), TOP, "k BIGINT, v BIGINT", keys=10_000, values=1 << 40),
)


if __name__ == "__main__":
    main()
