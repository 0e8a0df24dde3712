"""Lost connections, locks and refused users."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from postgres_server import database, new_table, run, server_url

from connector_jdbc import JdbcTableFactory
from connector_jdbc.failures import failure_of, is_transient
from table_common.connector import LookupFunctionProvider, LookupTableSource, ScanTableSource
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.functions import FunctionContext
from table_testing import ConnectorCase


class Case(ConnectorCase):
    factory = JdbcTableFactory
    schema = "id INT, name STRING"


def end_other_sessions() -> None:
    run(
        "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )


def test_a_wrong_password_is_the_fault_of_the_options_and_is_not_shown() -> None:
    error = OSError(
        'IO: [libpq] Failed to connect: connection to server at "h", port 5432 failed: FATAL:  password authentication failed for user "a"'
    )
    failure = failure_of(error, "PostgreSQL's database 'd' at h", None, "s3cret")
    assert isinstance(failure, ValidationException)
    assert "refuses the user" in failure.message
    assert "'password'" in (failure.hint or "")


def test_a_password_is_not_shown_as_the_url_contains_it() -> None:
    error = OSError('IO: [libpq] Failed to connect: missing "]" in "postgresql://h/d?password=s3%20%2Fcret" or s3 /cret')
    failure = failure_of(error, "PostgreSQL's database 'd' at h", None, "s3 /cret")
    assert "cret" not in str(failure)
    assert failure.message.count("******") == 2


def test_a_connection_that_is_lost_within_a_scan_is_an_error_that_says_so() -> None:
    table = new_table("id int4, name text")
    run(f"INSERT INTO {table} SELECT n, repeat('x', 500) FROM generate_series(1, 100000) AS g(n)")
    source: Any = Case().source({"url": server_url(), "table-name": table})
    provider = source.get_scan_runtime_provider(ScanTableSource.ScanContext())
    batches = provider.read(provider.splits()[0])
    next(batches)
    end_other_sessions()
    with pytest.raises(TableRuntimeException, match="was lost"):
        list(batches)


def test_a_connection_that_the_server_ends_is_lost_although_the_driver_tells_no_state() -> None:
    error = OSError("UNKNOWN: [libpq] PQgetCopyData() failed: FATAL:  terminating connection due to administrator command")
    failure = failure_of(error, "PostgreSQL's database 'd' at h", "SELECT 1")
    assert failure.message.startswith("The connection to PostgreSQL's database 'd' at h was lost: terminating connection")
    assert is_transient(failure)


def test_a_lookup_connects_again_after_its_connection_was_lost() -> None:
    source: Any = Case().source({"url": server_url(), "table-name": new_table("id int4, name text", [(1, "one"), (2, "two")])})
    provider = source.get_lookup_runtime_provider(LookupTableSource.LookupContext(((0,),)))
    assert isinstance(provider, LookupFunctionProvider)
    function: Any = provider.function
    function.open(FunctionContext())
    keys = pa.record_batch({"id": pa.array([2], pa.int32())})
    end_other_sessions()
    with pytest.raises(TableRuntimeException, match="was lost"):
        function.lookup_batch(keys)
    assert function.lookup_batch(keys).column(2).to_pylist() == ["two"]
    function.close()


def test_a_lock_that_is_not_free_in_time_is_explained() -> None:
    table = new_table("id int4, name text")
    sink: Any = Case().sink({"url": f"{server_url()}&options=-c%20lock_timeout=50", "table-name": table})
    with database().session() as session, session.transaction():
        session.rows(f"LOCK TABLE {table}")
        with pytest.raises(TableRuntimeException, match="lock timeout") as caught:
            sink.execute_truncation()
    assert "another session holds a lock" in (caught.value.hint or "")


def test_options_of_flink_without_effect_are_accepted() -> None:
    options = {"driver": "org.postgresql.Driver", "scan.auto-commit": "false", "sink.buffer-flush.interval": "2s", "sink.parallelism": "4"}
    Case().source({"url": server_url(), "table-name": new_table("id int4, name text"), **options})
