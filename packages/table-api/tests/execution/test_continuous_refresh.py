import pytest
from event_sinks import Connectors, OverwritingSink

from table_api import TableEnvironment
from table_common.exceptions import ValidationException


@pytest.fixture(autouse=True)
def _table(env: TableEnvironment) -> None:
    env.load_module("connectors", Connectors(OverwritingSink))
    env.execute_sql("CREATE VIEW s AS SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS v (a, b)")


def test_a_job_needs_a_checkpoint_folder(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match=r"`m` keeps its state in checkpoints, but 'execution.checkpointing.dir' is not set"):
        env.execute_sql("CREATE MATERIALIZED TABLE m WITH ('connector' = 'some') AS SELECT a FROM s")


def test_a_query_that_ends_is_refused(env: TableEnvironment) -> None:
    env.get_config().set("execution.checkpointing.dir", "/nowhere")
    with pytest.raises(ValidationException, match="`m` ends, because its sources do"):
        env.execute_sql("CREATE MATERIALIZED TABLE m WITH ('connector' = 'some') AS SELECT a FROM s")
    assert env.list_materialized_tables() == []


def test_options_of_resume_are_for_jobs(env: TableEnvironment) -> None:
    env.execute_sql("CREATE MATERIALIZED TABLE m WITH ('connector' = 'some') REFRESH_MODE = FULL AS SELECT a FROM s")
    env.execute_sql("ALTER MATERIALIZED TABLE m SUSPEND")
    with pytest.raises(ValidationException, match="`m` is refreshed in full"):
        env.execute_sql("ALTER MATERIALIZED TABLE m RESUME WITH ('a' = 'b')")
