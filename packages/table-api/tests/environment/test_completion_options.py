from __future__ import annotations

from pathlib import Path

import pytest

from table_api.execution.completion_options import file_paths, table_keys, table_values


def test_keys_are_those_of_the_connector() -> None:
    assert "connector" in set(table_keys({}))
    assert "rows-per-second" in set(table_keys({"connector": "datagen"}))
    assert set(table_keys({"connector": "nonsense"})) == {"connector"}


def test_values_are_listed_where_there_are_few() -> None:
    assert "datagen" in set(table_values({}, "connector"))
    assert list(table_values({"connector": "datagen"}, "number-of-rows")) == []


def test_paths_end_with_a_slash_if_they_are_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data" / "inner").mkdir(parents=True)
    (tmp_path / "data" / "x.csv").touch()
    (tmp_path / ".hidden").touch()
    monkeypatch.chdir(tmp_path)
    assert list(file_paths("")) == ["data/"]
    assert sorted(file_paths("data/")) == ["data/inner/", "data/x.csv"]
    assert list(file_paths(f"{tmp_path}/da")) == [f"{tmp_path}/data/"]
    assert list(file_paths("nowhere/")) == []
