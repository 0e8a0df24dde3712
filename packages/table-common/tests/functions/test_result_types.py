from __future__ import annotations

from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.inference.inference import infer_call


def test_scalar_calls_have_the_types_that_flink_gives(scalar_fact, call):
    text, _, wanted = scalar_fact.rpartition(" -> ")
    name, arguments = call(text)
    assert str(infer_call(BUILT_INS_BY_NAME[name], arguments).output_type) == wanted


def test_aggregates_have_the_types_that_flink_gives(aggregate_fact, call):
    left, _, wanted = aggregate_fact.rpartition(" -> ")
    text, _, scope = left.rpartition(" ")
    name, arguments = call(text)
    assert str(infer_call(BUILT_INS_BY_NAME[name], arguments, is_global_aggregate=scope == "global").output_type) == wanted
