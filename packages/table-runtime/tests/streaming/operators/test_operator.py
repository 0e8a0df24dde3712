import pkgutil
from importlib import import_module
from typing import Any

from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming import operators
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState
from table_runtime.streaming.operators.union import Union


def test_by_default_an_operator_ignores_watermarks_and_end_of_input(context: ExecutionContext) -> None:
    import pyarrow as pa

    operator = Union(pa.schema([("a", pa.int64())]))
    state = operator.create_state(context)
    given: list[object] = []
    operator.on_watermark(5, state, given.append)
    operator.end_of_input(0, state, given.append)
    assert given == []
    assert not operator.is_finished(state)
    assert operator.name == "Union"


def test_a_state_counts_ignored_retractions_and_holds_its_context(context: ExecutionContext) -> None:
    state = OperatorState(context)
    assert (state.metrics.ignored_retractions, state.processing_time, dict(state.tables())) == (0, 0, {})
    assert state.context is context


def classes_below(cls: type[ChangelogOperator[Any]]) -> set[type[ChangelogOperator[Any]]]:
    return {cls, *(one for below in cls.__subclasses__() for one in classes_below(below))}


def test_operators_say_whether_they_emit_rows_at_watermarks() -> None:
    for module in pkgutil.iter_modules(operators.__path__):
        import_module(f"{operators.__name__}.{module.name}")
    ours = [cls for cls in classes_below(ChangelogOperator) if cls.__module__.startswith(operators.__name__)]
    assert len(ours) > 20
    assert all(cls.emits_at_watermarks == (cls.on_watermark is not ChangelogOperator.on_watermark) for cls in ours)
