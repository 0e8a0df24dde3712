"""INSERTs into a table that the fake planner takes, in a program of their own."""

from __future__ import annotations

import pytest

from table_api import TableEnvironment
from table_api.jobs import program_end
from table_api.plan import optimizer
from table_api.plan.programs import BATCH
from table_common.frozen_dataclass import replace


@pytest.fixture
def own_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails here is not a failure of the tests' own process."""
    program = program_end._Program()
    program.is_hooked = True
    monkeypatch.setattr(program_end, "_program", program)
    monkeypatch.setattr(optimizer, "BATCH", replace(BATCH, sink=lambda operation, context: operation))


@pytest.fixture
def sink(env: TableEnvironment) -> TableEnvironment:
    env.execute_sql("CREATE TABLE sink (n INT, s STRING) WITH ('connector' = 'none')")
    return env
