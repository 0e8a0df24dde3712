"""The log of statements on both engines: the rows of a query and of an INSERT, a failure, and the page that explains it."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import TableEnvironment
from table_common import exceptions

PAGE = Path(__file__).parents[2] / "docs" / "operating.md"


@pytest.mark.parametrize("planner", ["arrow", "spark"])
def test_jobs_are_logged_with_their_rows(
    planner: str, make_env: Callable[[str], TableEnvironment], caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    env = make_env(planner)
    env.execute_sql(f"CREATE TABLE kept (a INT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path / 'kept'}')")
    caplog.set_level(logging.INFO, "table.statement")
    caplog.clear()
    env.execute_sql("INSERT INTO kept VALUES (1), (2)").wait()
    list(env.execute_sql("SELECT * FROM kept").collect())
    with pytest.raises(exceptions.TableRuntimeException):
        list(env.execute_sql("SELECT 1 / (a - a) FROM kept").collect())
    found = [vars(record) for record in caplog.records if record.name == "table.statement"]
    assert [(one["statement"].partition(" ")[0], one["outcome"], one["rows"], one["code"]) for one in found] == [
        ("INSERT", "finished", 2, None),
        ("SELECT", "finished", 2, None),
        ("SELECT", "failed", None, "RUNTIME"),
    ]
    assert len({one["job_id"] for one in found}) == 3


def test_the_page_lists_the_code_of_each_error() -> None:
    listed = dict(re.findall(r"^\| `([A-Z_]+)` \| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    kinds = [kind for name in exceptions.__all__ if isinstance(kind := getattr(exceptions, name), type) and hasattr(kind, "code")]
    assert listed == {kind.code: kind.__name__ for kind in kinds if kind is not exceptions.TableError and "code" in vars(kind)}
