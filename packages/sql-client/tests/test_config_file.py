from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sql_client.config_file import read_config
from table_common.exceptions import ValidationException

Client = Callable[..., Any]

COMPLETE = """\
options:
  pipeline.name: nightly   # a comment
  sql-client.execution.result-mode: csv
modules:
  - core
catalogs:
  - name: lake
    options: {type: generic_in_memory}
functions:
  - name: twice
    class: functions_of_config.Twice
tables:
  - name: numbers
    options:
      connector: filesystem
      format: csv
      path: numbers.csv
  - name: typed
    columns: a INT, b STRING
    options: {connector: datagen, number-of-rows: 1}
  - name: bigger
    query: |
      SELECT * FROM numbers
      WHERE n > 1;
init: start.sql
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], str]:
    def write_file(text: str) -> str:
        (tmp_path / "sql-client.yaml").write_text(text)
        return str(tmp_path / "sql-client.yaml")

    return write_file


def test_a_file_becomes_statements(write: Callable[[str], str], tmp_path: Path) -> None:
    config = read_config(write(COMPLETE))
    assert config.options == {"pipeline.name": "nightly", "sql-client.execution.result-mode": "csv"}
    assert config.statements == (
        "USE MODULES `core`",
        "CREATE CATALOG `lake` WITH ('type' = 'generic_in_memory')",
        "CREATE TEMPORARY FUNCTION `twice` AS 'functions_of_config.Twice' LANGUAGE PYTHON",
        "CREATE TEMPORARY TABLE `numbers` WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = 'numbers.csv')",
        "CREATE TEMPORARY TABLE `typed` (a INT, b STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '1')",
        "CREATE TEMPORARY VIEW `bigger` AS SELECT * FROM numbers\nWHERE n > 1",
    )
    assert config.lines == (5, 7, 10, 13, 18, 21)
    assert config.scripts == (str(tmp_path / "start.sql"),)


def test_an_empty_file_sets_nothing(write: Callable[[str], str]) -> None:
    assert read_config(write("# nothing\n")) == read_config(write(""))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("option:\n  a: b\n", r"sql-client\.yaml, line 1, column 1: the key 'option' is unknown; did you mean 'options'\?"),
        ("tables:\n  - name: t\n    optoins: {}\n", r"line 3, column 5: the key 'optoins' is unknown; did you mean 'options'\?"),
        ("tables:\n  - options: {}\n", "line 2, column 5: a table needs the key 'name'"),
        ("tables:\n  - name: t\n", "line 2, column 5: a table needs 'options', or a 'query'"),
        ("tables:\n  name: t\n", "line 2, column 3: 'tables' must be a list"),
        ("functions:\n  - name: f\n", "line 2, column 5: a function needs the key 'class'"),
        ("options:\n  a: [1]\n", "line 2, column 6: this must be a text or a number"),
        ("options:\n  a: 1\n  a: 2\n", "line 3, column 3: the key 'a' is there twice"),
        ("- a\n", "line 1, column 1: the file must be a mapping with the keys options, modules"),
        ("a: b: c\n", "line 1, column 5: this is not YAML: mapping values are not allowed here"),
    ],
)
def test_wrong_files_are_refused_with_line_and_column(write: Callable[[str], str], text: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        read_config(write(text))


def test_the_client_uses_the_file(client: Client, write: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "numbers.csv").write_text("n\n1\n2\n")
    (tmp_path / "start.sql").write_text("CREATE TEMPORARY VIEW started AS SELECT 7 AS a;")
    (tmp_path / "functions_of_config.py").write_text(
        "from table_api.udf import ScalarFunction\n\nclass Twice(ScalarFunction):\n    def eval(self, x: int) -> int:\n        return 2 * x\n"
    )
    path = write(COMPLETE)
    outcome = client("--config", path, "-e", "SELECT twice(n) AS m FROM bigger", "-e", "SELECT * FROM started", "-e", "USE CATALOG lake")
    assert outcome == (0, "m\n4\n\na\n7\n", "")
    monkeypatch.setenv("SQL_CLIENT_CONFIG", path)
    assert client("-e", "SELECT * FROM started").out == "a\n7\n"


@pytest.mark.parametrize(
    ("modules", "used"), [("[core]", "core"), ("[core, hive]", "core hive"), ("[hive, {name: core}]", "hive core"), ("[hive]", "core hive")]
)
def test_modules_are_used_in_the_order_of_the_list(client: Client, write: Callable[[str], str], modules: str, used: str) -> None:
    outcome = client("--config", write(f"modules: {modules}\n"), "--result-mode", "csv", "-e", "SHOW MODULES")
    assert (outcome.code, outcome.out.split()) == (0, ["module", "name", *used.split()])


def test_a_wrong_statement_of_the_file_is_shown(client: Client, write: Callable[[str], str]) -> None:
    outcome = client("--config", write("tables:\n  - name: t\n    query: SELECT nope\n"), "-e", "SELECT 1")
    assert outcome.code == 1
    assert "sql-client.yaml, line 2: this statement failed" in outcome.err
    assert "Column 'nope' does not exist" in outcome.err


def test_a_wrong_file_has_exit_code_2(client: Client, write: Callable[[str], str]) -> None:
    outcome = client("--config", write("tabels: []\n"), "-e", "SELECT 1")
    assert (outcome.code, outcome.out) == (2, "")
    assert "line 1, column 1: the key 'tabels' is unknown; did you mean 'tables'?" in outcome.err
    assert "cannot be read: No such file or directory" in client("--config", "nowhere.yaml", "-e", "SELECT 1").err
