"""Errors of workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from worker_functions import divided
from worker_tables import with_tables

from table_common.exceptions import TableError


def test_an_error_of_a_function_is_that_of_one_worker(environments: Any, tables: Path) -> None:
    texts = []
    for workers in (1, 2):
        env = with_tables(environments(workers), tables)
        env.create_temporary_system_function("divided", divided)
        with pytest.raises(TableError) as caught:
            env.execute_sql("SELECT k, SUM(divided(v)) FROM t WHERE v = 0 GROUP BY k").to_arrow()
        texts.append(str(caught.value))
    assert "ZeroDivisionError" in texts[0]
    assert texts[0] == texts[1]
