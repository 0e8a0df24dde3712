"""EXPLAIN ANALYZE: runs a query and shows what each operator did, beside what was estimated."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from table_api.operations import ModifyOperation
from table_common.configuration import ExecutionConfigOptions
from table_common.exceptions import TableException
from table_runtime.planner.context import LoweringContext
from table_runtime.run.execution import SpillOptions
from table_runtime.run.operator import Operator, describe
from table_runtime.run.profiling import Measurement, ProfilingContext, measuring
from table_runtime.scans.key_filter import KeyFilter


def analyze(
    roots: Sequence[Operator],
    operations: Sequence[ModifyOperation],
    context: LoweringContext,
    parallelism: int | None,
    spill: SpillOptions,
) -> str:
    """Runs the query and returns its operators with rows, batches, bytes, spilled bytes and processor time, then its runtime filters and totals.

    The time of an operator is its own, without its inputs. What Arrow computes on its own threads, such as decoding files, is in the total only.

    Raises:
        TableException: the statement is no query; it would write.
        TableRuntimeException: the query fails.
    """
    if any(operation.target_name is not None for operation in operations):
        raise TableException("EXPLAIN ANALYZE runs the statement, so it accepts queries only.", hint="EXPLAIN ANALYZE SELECT …")
    return "\n\n".join(_analyzed(root, context, parallelism, spill) for root in roots)


def _analyzed(root: Operator, context: LoweringContext, parallelism: int | None, spill: SpillOptions) -> str:
    memory = context.configuration.get(ExecutionConfigOptions.TABLE_EXEC_MEMORY)
    run = ProfilingContext(parallelism=parallelism, memory=memory, spill=spill)
    before = pa.total_allocated_bytes()
    started, wall = time.process_time(), time.perf_counter()
    try:
        with measuring(root) as (top, measurements):
            for _ in run.token.run(lambda: top.batches(run)):
                run.check()
            filters = {slot: slot.get(run) for slot in context.slots}
    finally:
        run.close()
    spilled = run.spilled_bytes()
    seconds, elapsed = time.process_time() - started, time.perf_counter() - wall
    lines = [describe(root, lambda operator: _note(operator, measurements, run)), ""]
    for slot, keys in filters.items():
        if keys is not None:
            lines.append(f"Runtime filter #{slot.number}, {slot.name}: {_effect(keys)}")
    own = sum(one.seconds for one in measurements.values())
    lines.append(
        f"Total: {_ms(seconds)} of processor time ({_ms(max(0.0, seconds - own))} outside of the operators), {_ms(elapsed)} elapsed, "
        f"{_size(max(0, run.peak - before))} allocated at most, {_size(spilled) if spilled else 'nothing'} spilled"
    )
    return "\n".join(lines)


def _note(operator: Operator, measurements: Mapping[int, Measurement], run: ProfilingContext) -> str:
    found = measurements.get(id(operator))
    if found is None:
        return ""
    return f" [{', '.join(_facts(operator, found, run.spilled_bytes(operator)))}]"


def _facts(operator: Operator, found: Measurement, spilled: int) -> Iterator[str]:
    yield f"rows={found.rows}"
    if operator.estimated_rows is not None:
        yield f"estimated rows={operator.estimated_rows:.0f}"
    yield f"batches={found.batches}"
    yield f"size={_size(found.bytes)}"
    if spilled:
        yield f"spilled={_size(spilled)}"
    yield f"cpu={_ms(found.seconds)}"


def _effect(keys: KeyFilter) -> str:
    parts = [keys.text]
    if keys.groups:
        parts.append(f"{keys.groups_skipped} of {keys.groups} row groups skipped")
    parts.append(f"{keys.rows_in - keys.rows_out} of {keys.rows_in} rows dropped")
    return ", ".join(parts)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _size(count: int) -> str:
    return f"{count / 1024:.0f} kB" if count < 1 << 20 else f"{count / (1 << 20):.1f} MB"
