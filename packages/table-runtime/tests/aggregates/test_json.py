from __future__ import annotations

import pytest

from table_common.exceptions import TableRuntimeException
from table_common.types import DoubleType, VarCharType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.json import JsonArrayAgg, JsonObjectAgg

ARRAY = AggregateSpec("JSON_ARRAYAGG", (DoubleType(),), VarCharType())
OBJECT = AggregateSpec("JSON_OBJECTAGG", (VarCharType(), DoubleType()), VarCharType())


@pytest.mark.parametrize(("keep_nulls", "text"), [(True, "null"), (False, None)])
def test_an_element_that_is_null_is_kept_or_left_out(keep_nulls: bool, text: str | None) -> None:
    array = JsonArrayAgg(ARRAY, keep_nulls=keep_nulls)
    assert [array.piece(1.5), array.piece(None)] == ["1.5", text]


@pytest.mark.parametrize(("keep_nulls", "text"), [(True, '"k":null'), (False, None)])
def test_a_member_that_is_null_is_kept_or_left_out(keep_nulls: bool, text: str | None) -> None:
    members = JsonObjectAgg(OBJECT, keep_nulls=keep_nulls)
    assert [members.piece('"', 1.5), members.piece("k", None)] == ['"\\"":1.5', text]


def test_a_key_is_not_null() -> None:
    with pytest.raises(TableRuntimeException, match="a key is NULL"):
        JsonObjectAgg(OBJECT, keep_nulls=True).piece(None, 1.5)
