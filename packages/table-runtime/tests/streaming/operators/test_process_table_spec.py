"""The physical form of calls of process table functions."""

from __future__ import annotations

import pickle
from datetime import timedelta

from process_functions import Machine, Machines, call_of

from table_runtime.streaming.operators.process_table_spec import ProcessInvocation


def test_a_call_knows_its_keys_columns_and_how_long_state_is_kept() -> None:
    spec = call_of(Machine(), ttl=timedelta(seconds=1))
    assert [str(type_) for type_ in spec.key_types] == ["int32"]
    assert spec.own_names == ("what", "a", "b")
    assert spec.ttls == (1000, 1000, 1000)
    assert spec.has_timers
    assert not spec.passes_through


def test_columns_that_pass_through_leave_no_timers() -> None:
    spec = call_of(Machine(), through=(0, 1, 2))
    assert spec.passes_through
    assert not spec.has_timers


def test_a_table_that_is_left_out_is_passed_to_no_parameter() -> None:
    spec = call_of(Machines(), "other", time=-1)
    assert [table.argument for table in spec.inputs] == [1]


def test_calls_can_be_sent_to_other_processes() -> None:
    spec = pickle.loads(pickle.dumps(call_of(Machine())))
    assert spec.signature.has_timers
    invocation = pickle.loads(pickle.dumps(ProcessInvocation(spec.function)))
    assert invocation.name == "Machine"
    assert isinstance(invocation.function(), Machine)
