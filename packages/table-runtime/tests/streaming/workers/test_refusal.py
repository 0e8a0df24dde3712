"""Why a plan has one worker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from worker_tables import with_tables


def test_a_plan_says_why_it_has_one_worker(environments: Any, tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = with_tables(environments(2), tables)
    env.execute_sql("CREATE VIEW n AS SELECT k, COUNT(*) AS n FROM t GROUP BY k")
    assert "One worker: the statement reads each change" in env.explain_sql("SELECT * FROM TO_CHANGELOG(TABLE n)")
    env.get_config().set("table.exec.state.memory", "1 gb")
    assert "One worker: 'table.exec.state.memory' is the limit of one process." in env.explain_sql("SELECT * FROM n")
    text = with_tables(environments(1), tables).explain_sql("SELECT DISTINCT k FROM t")
    assert "worker" not in text
