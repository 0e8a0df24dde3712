from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.types import DecimalType, DoubleType, LogicalType, VarCharType
from table_runtime.streaming.aggregates import texts
from table_runtime.streaming.aggregates.texts import JsonObjectState, ListAggState

Agrees = Callable[..., None]

TEXT = VarCharType()


@pytest.mark.parametrize("constants", [(), ("|",), ("",), (None,)])
def test_lists_equal_a_recomputation(constants: tuple[Any, ...], agrees: Agrees) -> None:
    agrees(fn.LISTAGG, [TEXT], TEXT, lambda chance: (chance.choice(["", "a", "bb", "ä", None]),), constants=constants)


@pytest.mark.parametrize("function", [fn.JSON_ARRAYAGG_NULL_ON_NULL, fn.JSON_ARRAYAGG_ABSENT_ON_NULL], ids=str)
@pytest.mark.parametrize(("type_", "values"), [(TEXT, ['"', "a", None]), (DoubleType(), [1.5, 0.0, None]), (DecimalType(38, 2), [None])])
def test_json_arrays_equal_a_recomputation(function: FunctionDefinition, type_: LogicalType, values: list[Any], agrees: Agrees) -> None:
    agrees(function, [type_], TEXT, lambda chance: (chance.choice(values),))


@pytest.mark.parametrize("function", [fn.JSON_OBJECTAGG_NULL_ON_NULL, fn.JSON_OBJECTAGG_ABSENT_ON_NULL], ids=str)
def test_json_objects_equal_a_recomputation(function: FunctionDefinition, agrees: Agrees) -> None:
    def row(chance: random.Random) -> tuple[str, float | None]:
        key = str(chance.random())
        return key, chance.choice([1.5, None])

    agrees(function, [TEXT, DoubleType()], TEXT, row)


def test_a_key_can_be_added_again_after_its_retraction(run_state: Any, accumulator_of: Any) -> None:
    accumulator = accumulator_of(fn.JSON_OBJECTAGG_NULL_ON_NULL, [TEXT, TEXT], TEXT)
    types = [pa.string(), pa.string()]
    first, second = (0, 1, True, ("k", "v")), (0, 1, True, ("l", None))
    rows = [first, second, (0, 1, True, ("m", "w")), (0, -1, True, ("k", "v")), (0, -1, True, ("k", "v")), first]
    given = run_state(JsonObjectState(accumulator), types, rows)
    assert given[3:] == ['{"l":null,"m":"w"}', '{"l":null,"m":"w"}', '{"l":null,"m":"w","k":"v"}']
    assert run_state(JsonObjectState(accumulator), types, [first, second, (0, -1, True, ("k", "other"))])[2] == '{"l":null}'
    with pytest.raises(TableRuntimeException, match="'k' occurs twice"):
        run_state(JsonObjectState(accumulator), types, [first, first])
    with pytest.raises(TableRuntimeException, match="key is NULL"):
        run_state(JsonObjectState(accumulator), types, [(0, 1, True, (None, "v"))])


def test_fewer_rows_are_applied_at_once_to_larger_texts(monkeypatch: pytest.MonkeyPatch, run_state: Any, accumulator_of: Any) -> None:
    monkeypatch.setattr(texts, "MOST_CHARACTERS", 1000)
    state = ListAggState(accumulator_of(fn.LISTAGG, [TEXT], TEXT))
    short, long = pa.array(["a"] * 10), pa.array(["a", "b" * 99])
    assert (state.rows_at_once([short]), state.rows_at_once([long])) == (31, 4)
    run_state(state, [pa.string()], [(0, 1, True, ("abc",))] * 500)
    assert state.rows_at_once([short]) == 1


def test_only_needed_results_are_joined(run_state: Any, accumulator_of: Any) -> None:
    state = ListAggState(accumulator_of(fn.LISTAGG, [TEXT], TEXT))
    rows = [(0, 1, True, (f"{number:06}",)) for number in range(100_000)]  # all results together would take 35 GB
    ((_, text),) = run_state(state, [pa.string()], rows, 100_000, nets=True)[0].items()
    assert len(text) == 699_999
