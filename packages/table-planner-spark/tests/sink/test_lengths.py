"""The lengths that columns of sinks declare, where the source declares the same ones and does not keep them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException

COLUMNS = "a CHAR(8), v VARCHAR(3), r ROW<c CHAR(2), l ARRAY<VARCHAR(2)>>, m MAP<STRING, CHAR(3)>"
LONG = {"a": "Apache Flink", "v": "abcdef", "r": {"c": "x", "l": ["abc", None]}, "m": {"key": "wxyz"}}
FITS = {"a": "ApacheFl", "v": "abc", "r": {"c": "xy", "l": ["ab"]}, "m": {"key": "wxy"}}


@pytest.fixture
def copy(env: Any, tmp_path: Path) -> Any:
    for name in "st":
        (tmp_path / name).mkdir()
        options = f"'connector' = 'filesystem', 'path' = '{tmp_path}/{name}', 'format' = 'json'"
        env.execute_sql(f"CREATE TEMPORARY TABLE {name} ({COLUMNS}) WITH ({options})")

    def run(row: Any, mode: str) -> Any:
        env.get_config().set("table.exec.sink.type-length-enforcer", mode)
        (tmp_path / "s" / "rows.json").write_text(json.dumps(row))
        env.execute_sql("INSERT INTO t SELECT * FROM s").wait()
        (written,) = [path for path in (tmp_path / "t").rglob("*.json") if not path.name.startswith((".", "_"))] or [
            path for path in (tmp_path / "t").rglob("*") if path.is_file() and not path.name.startswith((".", "_"))
        ]
        return json.loads(written.read_text())

    return run


def test_values_are_cut_and_padded_though_the_source_declares_the_same_types(copy: Any) -> None:
    cut = {"a": "Apache F", "v": "abc", "r": {"c": "x ", "l": ["ab", None]}, "m": {"key": "wxy"}}
    assert copy(LONG, "TRIM_PAD") == cut


def test_ignore_writes_values_as_they_are(copy: Any) -> None:
    assert copy(LONG, "IGNORE") == LONG


def test_error_names_column_type_and_length(copy: Any) -> None:
    table = "default_catalog.default_database.t"
    bads: list[tuple[dict[str, Any], str]] = [
        ({"v": "abcd"}, f"Column 'v' of table {table} is VARCHAR(3), but a row has a value of length 4 there."),
        (
            {"r": {"c": "xy", "l": ["abc"]}},
            f"Column 'r.l[element]' of table {table} is VARCHAR(2), but a row has a value of length 3 there.",
        ),
        ({"m": {"k": "x"}}, f"Column 'm[value]' of table {table} is CHAR(3), but a row has a value of length 1 there."),
    ]
    for bad, message in bads:
        with pytest.raises(TableRuntimeException) as caught:
            copy({**FITS, **bad}, "ERROR")
        assert message in str(caught.value)
    assert copy(FITS, "ERROR") == FITS
