from __future__ import annotations

from pathlib import Path

import pytest

from table_api.execution.completion_options import file_paths, table_keys, table_values, values_of
from table_common.configuration import ConfigOptions


def test_without_a_known_connector_there_is_one_key() -> None:
    assert set(table_keys({})) == {"connector"}
    assert set(table_keys({"connector": "nonsense", "format": "nonsense"})) == {"connector"}
    assert list(table_values({"connector": "nonsense"}, "path")) == []


def test_values_are_listed_where_there_are_few() -> None:
    key = ConfigOptions.key("a")
    assert list(values_of(key.boolean_type().no_default_value())) == ["true", "false"]
    assert list(values_of(key.enum_type("x", "y").no_default_value())) == ["x", "y"]
    assert list(values_of(key.int_type().no_default_value())) == []


def test_paths_end_with_a_slash_if_they_are_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data" / "inner").mkdir(parents=True)
    (tmp_path / "data" / "x.csv").touch()
    (tmp_path / ".hidden").touch()
    monkeypatch.chdir(tmp_path)
    assert list(file_paths("")) == ["data/"]
    assert sorted(file_paths("data/")) == ["data/inner/", "data/x.csv"]
    assert list(file_paths(f"{tmp_path}/da")) == [f"{tmp_path}/data/"]
    assert list(file_paths("nowhere/")) == []
