"""Tables in folders whose names have characters of patterns, or that are escaped in URLs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import TableEnvironment

MADE = ("a[1]", "a*", "a?b", "100%25", "p{x,y}", "back\\slash", "a b")
OTHERS = ("a1", "a_b", "axb", "100%", "px", "py", "a")
"""Folders that the names match as patterns or as URLs."""


@pytest.mark.parametrize("planner", ["arrow", "spark"])
@pytest.mark.parametrize("partitions", ["", "PARTITIONED BY (k)"])
def test_a_folder_is_found_by_its_exact_name(
    planner: str, partitions: str, make_env: Callable[[str], TableEnvironment], tmp_path: Path
) -> None:
    env = make_env(planner)
    for other in OTHERS:
        (tmp_path / other).mkdir()
        (tmp_path / other / "f.csv").write_text("9,other\n")
    for number, name in enumerate(MADE):
        table = f"t{number}"
        options = f"'connector' = 'filesystem', 'path' = '{tmp_path / name}', 'format' = 'csv'"
        env.execute_sql(f"CREATE TEMPORARY TABLE {table} (x INT, k STRING) {partitions} WITH ({options})")
        env.execute_sql(f"INSERT INTO {table} VALUES (1, 'u'), (2, 'v')").wait()
        assert sorted(tuple(row) for row in env.execute_sql(f"SELECT * FROM {table}").collect()) == [(1, "u"), (2, "v")], name
        assert [tuple(row) for row in env.execute_sql(f"SELECT * FROM {table} WHERE k = 'v'").collect()] == [(2, "v")], name
