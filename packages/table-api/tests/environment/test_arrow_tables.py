"""Tables of in-process data: what ``from_arrow`` and ``from_pandas`` accept."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_api import DataTypes, TableEnvironment, ValidationException

DATA = pa.table({"a": [1, 2], "b": ["x", None]})


def columns(table: Any) -> list[str]:
    return [str(column) for column in table.get_resolved_schema().columns]


def test_names_and_types_are_those_of_the_data(env: TableEnvironment) -> None:
    assert columns(env.from_arrow(DATA)) == ["`a` BIGINT", "`b` STRING"]


def test_a_list_of_names_renames_the_columns(env: TableEnvironment) -> None:
    assert columns(env.from_arrow(DATA, ["x", "y"])) == ["`x` BIGINT", "`y` STRING"]


def test_a_list_of_types_converts_by_position(env: TableEnvironment) -> None:
    assert columns(env.from_arrow(DATA, [DataTypes.INT(), DataTypes.STRING()])) == ["`a` INT", "`b` STRING"]


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (DataTypes.INT(), "is a ROW type, or a list of names or of types, but got INT"),
        ("a", "is a ROW type, or a list of names or of types, but got a"),
        (["a", DataTypes.INT()], "is a list of names or a list of types"),
        (["a"], "2"),
    ],
    ids=["type", "text", "mixed", "too few"],
)
def test_a_wrong_schema_says_what_is_accepted(env: TableEnvironment, schema: Any, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        env.from_arrow(DATA, schema)


def test_from_pandas_takes_data_frames_only(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match=r"from_pandas takes a pandas\.DataFrame, but got object"):
        env.from_pandas(object())
