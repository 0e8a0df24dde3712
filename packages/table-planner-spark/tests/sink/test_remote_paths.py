"""Paths that only one process sees are refused; tests/integration writes remote tables."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import TableException


def test_files_in_the_memory_of_a_process_are_refused(run: Any) -> None:
    run.environment.execute_sql(
        "CREATE TEMPORARY TABLE m (id BIGINT) WITH ('connector' = 'filesystem', 'path' = 'memory://m', 'format' = 'csv')"
    )
    for statement, verb in (("INSERT INTO m VALUES (1)", "write"), ("SELECT * FROM m", "read")):
        with pytest.raises(TableException, match=f"cannot {verb} .*in the memory of one process, which Spark's workers do not see"):
            run.environment.execute_sql(statement)
