"""The harness of process table functions refuses wrong declarations before the engine runs. Its calls are tested with the embedded engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import pytest

from table_api.testing import ProcessTableFunctionHarness
from table_api.udf import ArgumentHint, ArgumentTrait, ProcessTableFunction
from table_common.data import Row
from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from conftest import Installed


class Rows(ProcessTableFunction[str]):
    def eval(self, r: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)]) -> Any: ...


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tables": {"r": "INT"}}, "The table 'r' is declared as INT, which is no row"),
        ({"tables": {"r": "ROW<k INT>"}}, "The table 'r' of Rows has set semantics, so it needs PARTITION BY"),
        ({"tables": {"r": "ROW<k INT>"}, "order_by": ["k"]}, "The table 'r' has order_by without partition_by"),
        ({"tables": {"q": "ROW<k INT>"}}, "Argument 'q'"),
        ({}, "Rows lacks the argument 'r'"),
    ],
)
def test_a_wrong_declaration_is_refused(installed: Installed, options: dict[str, Any], message: str) -> None:
    installed.add("arrow")
    with pytest.raises(ValidationException, match=message):
        ProcessTableFunctionHarness(Rows, **options)
