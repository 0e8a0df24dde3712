from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import ProjectQueryOperation, SinkModifyOperation
from table_common.catalog import Column
from table_common.configuration import Configuration
from table_common.expressions import CallExpression, FieldReferenceExpression, TypeLiteralExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import parse_logical_type

TARGET = parse_logical_type("VARCHAR(5)")
TRIM_PAD = {"table.exec.sink.type-length-enforcer": "TRIM_PAD"}
LEGACY = {"table.exec.legacy-cast-behaviour": "ENABLED"}


def cast_from(name: str) -> Any:
    source = FieldReferenceExpression("a", parse_logical_type(name), 0, 0)
    return CallExpression(BUILT_INS_BY_NAME["CAST"], (source, TypeLiteralExpression(TARGET)), TARGET)


def enforced(value: Any, options: dict[str, str], type_: Any = TARGET) -> list[int]:
    child: Any = ProjectQueryOperation((value,), ("a",), None)  # type: ignore[arg-type]
    table: Any = None
    operation = SinkModifyOperation(child, table, consumed=(Column.physical("a", type_),))
    return list(operation.length_enforced_columns(Configuration(options)))


@pytest.mark.parametrize(
    ("value", "positions"),
    [
        (FieldReferenceExpression("a", TARGET, 0, 0), [0]),
        (ValueLiteralExpression(None, TARGET), []),
        (cast_from("STRING"), []),
        (cast_from("INT"), []),
        (cast_from("VARCHAR(3)"), [0]),  # the value may be longer than its type says, and such a cast does not cut
    ],
)
def test_columns_are_enforced_unless_their_values_are_known_to_fit(value: Any, positions: list[int]) -> None:
    assert enforced(value, {}) == enforced(value, TRIM_PAD) == positions


def test_types_without_a_length_are_not_enforced() -> None:
    type_ = parse_logical_type("STRING")
    assert enforced(FieldReferenceExpression("a", type_, 0, 0), {}, type_) == []


def test_options_turn_it_off() -> None:
    value = FieldReferenceExpression("a", TARGET, 0, 0)
    assert enforced(value, {"table.exec.sink.type-length-enforcer": "IGNORE"}) == []
    assert enforced(value, LEGACY) == []
    assert enforced(value, {**LEGACY, "table.exec.sink.type-length-enforcer": "ERROR"}) == [0]
