"""State of a wrong type is noticed after the call that has set it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

import pytest
from process_functions import SET

from table_common.data import Row
from table_common.exceptions import TableRuntimeException
from table_common.functions import MapView, ProcessTableFunction, StateHint, UserFunction
from table_runtime.streaming.operators.process_table_checks import check_of
from table_runtime.streaming.state.object_column import ObjectColumn


@dataclass
class Held:
    n: int = 0
    text: str | None = None
    ratio: float = 0.0
    day: datetime.date | None = None
    parts: list[int] | None = None


class Holder(ProcessTableFunction[int]):
    def eval(
        self,
        held: Annotated[Held, StateHint()],
        row: Annotated[Row, StateHint(type="ROW<n TINYINT, d DECIMAL(4, 2)>")],
        view: Annotated[MapView[str, int], StateHint()],
        r: Annotated[Row, SET],
    ) -> Any:
        yield r.v


def checks() -> list[Any]:
    signature = UserFunction(Holder(), "holder").process
    assert signature is not None
    return [check_of(entry, ObjectColumn("holder", entry.extracted), "holder") for entry in signature.states]


def test_values_of_the_declared_type_are_accepted() -> None:
    held, row, view = checks()
    held(Held())
    held(Held(-(1 << 63), "x", 1, datetime.date(2026, 1, 1), [1]))
    row(Row.of_names(["n", "d"], [127, Decimal("1.25")]))
    row(Row.of_names(["n", "d"], [None, None]))
    assert view is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            Held(n="x"),
            "The state 'held' of the function holder has 'x' in its field 'n' after a call, which is not of its declared type BIGINT",
        ),  # type: ignore[arg-type]
        (Held(n=1 << 63), "has 9223372036854775808 in its field 'n'"),
        (Held(text=7), "has 7 in its field 'text'"),  # type: ignore[arg-type]
        (Held(ratio="x"), "has 'x' in its field 'ratio'"),  # type: ignore[arg-type]
    ],
)
def test_another_value_names_function_state_and_field(value: Held, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        checks()[0](value)


def test_a_row_is_looked_at_too() -> None:
    with pytest.raises(TableRuntimeException, match="The state 'row' of the function holder has 128 in its field 'n'"):
        checks()[1](Row.of_names(["n", "d"], [128, None]))
