from __future__ import annotations

import pytest

from table_common.exceptions import TableException
from table_common.functions import FunctionDefinition, FunctionKind, OverNothing
from table_common.functions.builtin import BUILT_INS
from table_common.functions.builtin import aggregates as fn
from table_common.types import VarCharType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import ACCUMULATORS, UNSUPPORTED, make_accumulator


def test_every_aggregate_of_the_registry_is_computed_or_refused_with_a_reason() -> None:
    aggregates = {function for function in BUILT_INS if function.kind is FunctionKind.AGGREGATE}
    assert {f.name for f in aggregates - ACCUMULATORS.keys()} == {f.name for f in UNSUPPORTED}
    assert not ACCUMULATORS.keys() & UNSUPPORTED.keys()


@pytest.mark.parametrize("function", sorted(ACCUMULATORS, key=str), ids=str)
def test_accumulators_return_over_nothing_what_planners_know(function: FunctionDefinition) -> None:
    known = {OverNothing.NULL: None, OverNothing.ZERO: 0}
    over_nothing = function.aggregate_traits.over_nothing
    if over_nothing is not OverNothing.OWN:
        assert (
            make_accumulator(function, AggregateSpec(function.name, (VarCharType(),), VarCharType())).over_nothing() == known[over_nothing]
        )


def test_a_refusal_names_the_function_and_the_reason() -> None:
    with pytest.raises(TableException, match=r"GROUPING.*grouping id"):
        make_accumulator(fn.GROUPING, AggregateSpec("GROUPING", (), VarCharType()))
