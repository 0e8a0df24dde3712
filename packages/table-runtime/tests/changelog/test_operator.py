from table_runtime.changelog.operator import OperatorState
from table_runtime.changelog.operators.union import Union
from table_runtime.operators.execution import ExecutionContext


def test_an_operator_waits_neither_for_time_nor_for_the_end_unless_it_says_so(context: ExecutionContext) -> None:
    import pyarrow as pa

    operator = Union(pa.schema([("a", pa.int64())]))
    state = operator.create_state(context)
    given: list[object] = []
    operator.on_watermark(5, state, given.append)
    operator.end_of_input(0, state, given.append)
    assert given == []
    assert not operator.is_finished(state)
    assert operator.name == "Union"


def test_a_state_counts_what_is_ignored_and_knows_its_run(context: ExecutionContext) -> None:
    state = OperatorState(context)
    assert (state.ignored_retractions, state.processing_time, dict(state.tables())) == (0, 0, {})
    assert state.context is context
