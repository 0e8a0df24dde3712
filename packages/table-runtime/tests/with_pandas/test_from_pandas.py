"""Data frames as tables."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from table_api import DataTypes, EnvironmentSettings, TableEnvironment
from table_api.expressions import col
from table_common.exceptions import ValidationException

FRAME = pd.DataFrame({"id": [1, 2, 3], "name": ["a", None, "c"], "at": pd.to_datetime(["2020-01-01", None, "2021-02-03"])}, index=[7, 8, 9])


@pytest.fixture
def env() -> Any:
    return TableEnvironment.create(EnvironmentSettings.in_batch_mode())


def test_a_data_frame_is_a_table_without_its_index(env: Any) -> None:
    table = env.from_pandas(FRAME)
    assert table.get_schema().get_field_names() == ["id", "name", "at"]
    assert table.filter(col("name").is_null).select(col("id")).to_arrow().to_pylist() == [{"id": 2}]


def test_what_goes_in_comes_out(env: Any) -> None:
    pd.testing.assert_frame_equal(env.from_pandas(FRAME).to_pandas(), FRAME.reset_index(drop=True), check_dtype=False)


def test_names_or_types_may_be_given(env: Any) -> None:
    assert env.from_pandas(FRAME, ["x", "y", "z"]).get_schema().get_field_names() == ["x", "y", "z"]
    types = [DataTypes.INT(), DataTypes.STRING(), DataTypes.TIMESTAMP(3)]
    found = env.from_pandas(FRAME, types, splits_num=2).get_resolved_schema()
    assert [str(found.get_column(name).data_type) for name in ("id", "name", "at")] == ["INT", "STRING", "TIMESTAMP(3)"]


def test_columns_of_mixed_values_and_other_objects_are_errors(env: Any) -> None:
    with pytest.raises(ValidationException, match=r"The data cannot be read as a table: .*column i"):
        env.from_pandas(pd.DataFrame({"i": [1, "a"]}))
    with pytest.raises(ValidationException, match=r"from_pandas takes a pandas.DataFrame, but got list"):
        env.from_pandas([1, 2])
