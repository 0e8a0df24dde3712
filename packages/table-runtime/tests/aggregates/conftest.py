"""Runs an accumulator over batches of rows, as a grouped aggregation does: partial states, merged, then finished."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.functions import FunctionDefinition
from table_common.types import parse_logical_type
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan
from table_runtime.columns.keys import KeyCodec

Row = tuple[Any, ...]
Aggregate = Callable[..., dict[str, Any]]


@pytest.fixture
def aggregate() -> Aggregate:
    """Returns the result per group of rows ``(group, argument, ...)``; the rows of one batch become one partial state."""

    def run(
        function: FunctionDefinition,
        types: Sequence[str],
        output: str,
        *batches: Sequence[Row],
        constants: tuple[Any, ...] = (),
        orders: tuple[tuple[bool, bool], ...] = (),
    ) -> dict[str, Any]:
        arguments = [parse_logical_type(type_) for type_ in types]
        spec = AggregateSpec(function.name, tuple(arguments[: len(arguments) - len(orders)]), parse_logical_type(output), constants, orders)
        plan = AggregationPlan(KeyCodec([pa.string()]), [make_accumulator(function, spec)])
        states = []
        for rows in batches:
            columns = [pa.array([row[i + 1] for row in rows], to_arrow_type(type_)) for i, type_ in enumerate(arguments)]
            states.append(plan.partial([pa.array([row[0] for row in rows])], [columns], len(rows)))
        merged = plan.merge(states) if len(states) > 1 else states[0]
        (results,) = plan.finish(merged)
        assert results.type.equals(spec.arrow_type)
        return dict(zip(merged.keys[0].to_pylist(), results.to_pylist(), strict=True))

    return run
