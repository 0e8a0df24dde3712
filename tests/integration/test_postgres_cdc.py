"""Changes of PostgreSQL in SQL on both engines: rows and changes, jobs that are restarted, and the examples of the documents."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "packages" / "connector-postgres-cdc" / "tests"))

from cdc_server import new_schema, new_table, options_of, run, server

from connector_postgres_cdc import PostgresCdcTableFactory
from table_api import EnvironmentSettings, TableEnvironment
from table_common.job_state import JobStatus
from table_testing import SqlCompliance

ROOT = Path(__file__).parents[2]
Rows = Sequence[tuple[Any, ...]]


class TestPostgresCdc(SqlCompliance):
    """Uses the session that all tests of the process share."""

    factory = PostgresCdcTableFactory
    schema = "id BIGINT NOT NULL, name STRING, amount DOUBLE"
    rows = ((1, "one", 1.5), (2, None, 2.5), (4, "O'Neil_%*?[\\", -0.5), (7, "One", None), (1 << 62, "", 1e300))
    engines: ClassVar[tuple[str, ...] | None] = ("arrow", "spark")

    @pytest.fixture(autouse=True)
    def _shared_session(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(SqlCompliance, "external", {"spark": {"spark": request.getfixturevalue("spark")}})

    def queries(self) -> list[str]:
        return super().queries()[:8]  # no condition is pushed down

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        table = new_table("id int8 PRIMARY KEY, name text, amount float8")
        for row in rows:
            values = ", ".join("NULL" if value is None else "'" + str(value).replace("'", "''") + "'" for value in row)
            run(f"INSERT INTO {table} VALUES ({values})")
        options = options_of(table, scan__startup__mode="snapshot", slot__name="")
        del options["connector"]
        return options


@pytest.fixture(params=["arrow", "spark"])
def new_environment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], TableEnvironment]]:
    """Creates streaming environments whose jobs have checkpoints in one folder."""
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner(request.param).build()
    external = {"spark": request.getfixturevalue("spark")} if request.param == "spark" else None
    opened: list[TableEnvironment] = []

    def create() -> TableEnvironment:
        environment = TableEnvironment.create(settings, external=external)
        environment.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints"))
        environment.get_config().set("execution.checkpointing.interval", "100 ms")
        environment.get_config().set("pipeline.name", "mirror")
        opened.append(environment)
        return environment

    yield create
    for environment in opened:
        environment.close()


def declare(environment: TableEnvironment, name: str, columns: str, options: Mapping[str, str]) -> None:
    pairs = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    environment.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({pairs})")


def eventually(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def mirrored(environment: TableEnvironment, table: str) -> Any:
    """Starts a job that mirrors a table, and counts by ``v`` in another."""
    declare(environment, "source", "id INT, v INT, s STRING, PRIMARY KEY (id) NOT ENFORCED", options_of(table))
    jdbc = {"connector": "jdbc", "url": server().url}
    declare(environment, "mirror", "id INT, v INT, s STRING, PRIMARY KEY (id) NOT ENFORCED", {**jdbc, "table-name": f"{table}_mirror"})
    declare(environment, "counted", "v INT, n BIGINT, PRIMARY KEY (v) NOT ENFORCED", {**jdbc, "table-name": f"{table}_counted"})
    statements = environment.create_statement_set()
    statements.add_insert_sql("INSERT INTO mirror SELECT * FROM source")
    statements.add_insert_sql("INSERT INTO counted SELECT v, COUNT(*) FROM source GROUP BY v")
    return statements.execute().get_job_client()


@pytest.mark.parametrize("full", [True, False])
def test_a_mirrored_table_follows_over_restarts(new_environment: Callable[[], TableEnvironment], full: bool) -> None:
    columns = "(id int PRIMARY KEY, v int, s text)"
    table = new_table(columns[1:-1], "INSERT INTO {t} SELECT i, i % 7, 'x' || i FROM generate_series(1, 1000) AS i", full=full)
    run(f"CREATE TABLE {table}_mirror {columns}", f"CREATE TABLE {table}_counted (v int PRIMARY KEY, n int8)")

    def is_equal() -> bool:
        same = run(
            f"SELECT NOT EXISTS (SELECT * FROM {table} EXCEPT SELECT * FROM {table}_mirror) AND (SELECT count(*) FROM {table}) = (SELECT count(*) FROM {table}_mirror)"
        )
        counted = run(f"SELECT NOT EXISTS (SELECT v, count(*) FROM {table} GROUP BY v EXCEPT SELECT v, n FROM {table}_counted)")
        return bool(same[0][0] and counted[0][0])

    for number in range(3):
        environment = new_environment()
        job = mirrored(environment, table)
        run(
            f"UPDATE {table} SET v = v + 1 WHERE id % 5 = {number}",
            f"DELETE FROM {table} WHERE id % 100 = {number}",
            f"UPDATE {table} SET id = -id WHERE id = {11 + number}",
        )
        eventually(is_equal)
        job.cancel()
        eventually(lambda job=job: job.get_job_status().result().is_terminal_state())
        assert job.get_job_status().result() == JobStatus.CANCELED
        run(f"INSERT INTO {table} VALUES ({2000 + number}, 1, 'while no job runs')", f"UPDATE {table} SET s = 'y' WHERE v = 3")


def test_metadata_are_columns(new_environment: Callable[[], TableEnvironment]) -> None:
    schema = new_schema()
    for name in ("a1", "a2"):
        run(
            f"CREATE TABLE {schema}.{name} (id int PRIMARY KEY)",
            f"ALTER TABLE {schema}.{name} REPLICA IDENTITY FULL",
            f"INSERT INTO {schema}.{name} VALUES (1)",
        )
    environment = new_environment()
    columns = "id INT, tab STRING METADATA FROM 'table_name' VIRTUAL, op_ts TIMESTAMP_LTZ(3) METADATA VIRTUAL, lsn BIGINT METADATA VIRTUAL, row_kind STRING METADATA VIRTUAL"
    declare(environment, "t", columns, options_of(f"{schema}.a."))
    found = []
    with environment.execute_sql("SELECT tab, id, row_kind, lsn IS NULL, op_ts > TIMESTAMP '2000-01-01 00:00:00' FROM t").collect() as rows:
        found += [tuple(next(rows)) for _ in range(2)]
        run(f"UPDATE {schema}.a2 SET id = 2")
        found += [tuple(next(rows)) for _ in range(2)]
    assert sorted(found[:2]) == [("a1", 1, "+I", True, False), ("a2", 1, "+I", True, False)]
    assert found[2:] == [("a2", 1, "-U", False, True), ("a2", 2, "+U", False, True)]


def test_the_example_of_the_readme_runs(
    new_environment: Callable[[], TableEnvironment], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = ROOT / "packages" / "connector-postgres-cdc" / "README.md"
    (example,) = re.findall(r"^```python\n(.*?)^```", readme.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    schema = new_schema()
    run(
        f"CREATE TABLE {schema}.orders (id bigint PRIMARY KEY, customer text, amount numeric(10, 2))",
        f"INSERT INTO {schema}.orders VALUES (1, 'Ada', 5)",
    )
    parts = re.compile(r"'hostname' = .*?'database-name' = 'shop', 'schema-name' = 'public'", re.DOTALL)
    here = parts.sub(f"'url' = '{server().url}', 'schema-name' = '{schema}'", example).replace(
        "'slot.name' = 'revenue'", f"'slot.name' = '{schema}'"
    )
    assert here.count(schema) == 2
    environment = new_environment()
    monkeypatch.setattr(TableEnvironment, "create", lambda settings: environment)
    exec(compile(here, str(readme), "exec"), {})
    assert "Ada" in capsys.readouterr().out


def test_the_example_of_the_guide_runs(new_environment: Callable[[], TableEnvironment], monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "guide" / "postgresql-cdc.md").read_text(encoding="utf-8")
    create, change = (block.split(";") for block in re.findall(r"^```postgresql\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    (statements,) = re.findall(r"^```sql\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    run(
        "DROP TABLE IF EXISTS orders, revenue",
        "SELECT pg_drop_replication_slot(slot_name)::text FROM pg_replication_slots WHERE slot_name = 'revenue'",
    )
    run("DROP PUBLICATION IF EXISTS revenue", *filter(str.strip, create))
    monkeypatch.setenv("SHOP", server().url)
    environment = new_environment()
    *first, insert = (statement for statement in statements.split(";") if statement.strip())
    for statement in first:
        if "SET 'execution" not in statement:
            environment.execute_sql(statement)
    environment.execute_sql(insert)
    query = "SELECT customer, total::float8 FROM revenue ORDER BY 1"
    eventually(lambda: run(query) == [("Ada", 15.0), ("Grace", 20.0)])
    with server().database().session() as session:
        for statement in filter(str.strip, change):
            session.rows(statement)
    eventually(lambda: run(query) == [("Ada", 17.0), ("Linus", 1.0)])
