"""SQL over PostgreSQL on both engines: the same rows as without push-down, and what PostgreSQL is asked."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "packages" / "connector-jdbc" / "tests"))

from postgres_server import logged_statements, new_table, run, server_url
from waiting import eventually

from connector_jdbc import JdbcTableFactory
from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableRuntimeException, ValidationException
from table_testing import SqlCompliance

Rows = Sequence[tuple[Any, ...]]


class TestJdbc(SqlCompliance):
    """Uses the session that all tests of the process share."""

    factory = JdbcTableFactory
    schema = "id BIGINT NOT NULL, name STRING, amount DOUBLE, is_new BOOLEAN"
    primary_key = ("id",)
    rows = (
        (1, "one", 1.5, True),
        (2, None, 2.5, False),
        (4, "O'Neil_%*?[\\", -0.5, True),
        (7, "One", 70.0, None),
        (1 << 62, "", 1e300, True),
    )
    engines: ClassVar[tuple[str, ...] | None] = ("arrow", "spark")

    @pytest.fixture(autouse=True)
    def _shared_session(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(SqlCompliance, "external", {"spark": {"spark": request.getfixturevalue("spark")}})

    def create_table(self, folder: Path, rows: Rows) -> Mapping[str, str]:
        table = new_table("id int8 PRIMARY KEY, name text, amount float8, is_new bool", rows)
        return {"url": server_url(), "table-name": table, "scan.partition.column": "id", "scan.partition.num": "2"}

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        return run(f"SELECT id, name, amount, is_new FROM {options['table-name']}")


@pytest.fixture(params=["arrow", "spark"])
def environment(request: pytest.FixtureRequest) -> Iterator[TableEnvironment]:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(request.param).build()
    external = {"spark": request.getfixturevalue("spark")} if request.param == "spark" else None
    with TableEnvironment.create(settings, external=external) as environment:
        environment.get_config().set("table.dml-sync", "true")
        yield environment


def declare(environment: TableEnvironment, name: str, columns: str, table: str, **options: str) -> None:
    more = "".join(f", '{key}' = '{value}'" for key, value in options.items())
    environment.execute_sql(
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'jdbc', 'url' = '{server_url()}', 'table-name' = '{table}'{more})"
    )


def test_the_example_of_the_readme_runs(
    environment: TableEnvironment, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = Path(__file__).parents[2] / "packages" / "connector-jdbc" / "README.md"
    (example,) = re.findall(r"^```python\n(.*?)^```", readme.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    url = "'url' = 'jdbc:postgresql://localhost:5432/shop'"
    assert url in example
    table = new_table("id int8 PRIMARY KEY, name text")
    user = "'username' = 'ada', "
    here = example.replace(url, f"'url' = '{server_url()}'").replace("sales.customers", table).replace(user, "'username' = 'postgres', ")
    monkeypatch.setenv("SHOP_PASSWORD", "not asked for on a socket")
    monkeypatch.setattr(TableEnvironment, "create", lambda settings: environment)
    exec(compile(here, str(readme), "exec"), {})
    assert "Grace" in capsys.readouterr().out
    assert run(f"SELECT id, name FROM {table} ORDER BY id") == [(1, "Ada"), (2, "Grace")]


def test_explain_shows_what_postgresql_is_asked(environment: TableEnvironment) -> None:
    table = new_table("id int4, name text, price numeric(10,2)")
    declare(environment, "items", "id INT, name STRING, price DECIMAL(10, 2)", table)
    schema = table.partition(".")[0]
    text = environment.explain_sql("SELECT name FROM items WHERE price > 1.5 AND name LIKE 'a%' LIMIT 3")
    assert f'SELECT "name" FROM "{schema}"."tested" WHERE ("price" > \'1.50\'::numeric) AND ("name" LIKE \'a%\') LIMIT 3' in text
    text = environment.explain_sql("SELECT name, COUNT(*), MAX(price) FROM items WHERE id > 2 GROUP BY name")
    assert 'SELECT "name", COUNT(*), MAX("price")::numeric(10,2) FROM' in text
    assert 'WHERE ("id" > 2) GROUP BY "name"' in text


def test_the_log_of_postgresql_shows_what_is_pushed_into_it(environment: TableEnvironment) -> None:
    rows = [(number, None if number % 5 == 0 else f"name {number % 7}", number % 3) for number in range(40)]
    table = new_table("id int4 PRIMARY KEY, name text, kind int4", rows)
    declare(environment, "logged", "id INT NOT NULL, name STRING, kind INT", table)
    with logged_statements() as statements:
        limited = list(environment.execute_sql("SELECT name FROM logged WHERE kind = 1 LIMIT 2").collect())
        first = list(
            environment.execute_sql("SELECT name, id FROM logged WHERE id > 3 ORDER BY name DESC NULLS FIRST, id LIMIT 4").collect()
        )
        groups = environment.execute_sql("SELECT kind, COUNT(*), MAX(id) FROM logged WHERE id < 30 GROUP BY kind")
        counts = sorted(tuple(row) for row in groups.collect())
    assert len(limited) == 2
    assert [tuple(row) for row in first] == [(None, 5), (None, 10), (None, 15), (None, 20)]
    assert counts == [(kind, 10, 27 + kind) for kind in range(3)]
    scan = f'FROM "{table.partition(".")[0]}"."tested" WHERE'
    queries = [statement for statement in statements if scan in statement]
    assert len(queries) == 3, statements
    assert f'SELECT "name" {scan} ("kind" = 1) LIMIT 2' in queries[0]
    assert f'SELECT "id", "name" {scan} ("id" > 3) ORDER BY "name" COLLATE "C" DESC NULLS FIRST, "id" LIMIT 4' in queries[1]
    assert f'SELECT "kind", COUNT(*), MAX("id")::int4 {scan} ("id" < 30) GROUP BY "kind"' in queries[2]


def test_the_first_rows_of_an_order_are_those_that_the_engine_finds_alone(environment: TableEnvironment) -> None:
    texts = ["a", "B", "ä", "Z", "z", "", " ", "aa", "A", "é", "\U0001f600", "\uffff", None, None]
    rows = [(number, text, None if number % 4 == 0 else number * 0.5, number % 2 == 0) for number, text in enumerate(texts)]
    table = new_table("id int4, name text, amount numeric(6, 2), flag bool", rows)
    columns = "id INT, name STRING, amount DECIMAL(6, 2), flag BOOLEAN"
    declare(environment, "first_rows", columns, table, **{"scan.partition.column": "id", "scan.partition.num": "3"})
    for order in ("name, id", "name DESC, id", "name NULLS LAST, id", "amount DESC NULLS FIRST, id", "flag DESC, amount, id DESC"):
        query = f"SELECT name, amount, flag, id FROM first_rows ORDER BY {order}"
        expected = [tuple(row) for row in environment.execute_sql(query).collect()][1:6]
        limited = f"{query} LIMIT 5 OFFSET 1"
        assert [tuple(row) for row in environment.execute_sql(limited).collect()] == expected, order
        assert "LIMIT 6" in environment.explain_sql(limited), order


def test_a_sum_that_decimal_cannot_hold_is_null_also_in_postgresql(environment: TableEnvironment) -> None:
    table = new_table("g int4, d numeric(38, 0)", [(1, "9" * 38), (1, 1), (2, 5), (2, None), (3, None)])
    declare(environment, "great_sums", "g INT, d DECIMAL(38, 0)", table)
    query = "SELECT g, SUM(d) FROM great_sums{} GROUP BY g"
    pushed, local = query.format(""), query.format(" WHERE MOD(g, 10) < 10")
    assert "SUM(" in environment.explain_sql(pushed).partition("SELECT")[2]
    found = [sorted(tuple(row) for row in environment.execute_sql(text).collect()) for text in (pushed, local)]
    assert found[0] == found[1] == [(1, None), (2, 5), (3, None)]


def test_columns_of_several_collations_are_compared(environment: TableEnvironment) -> None:
    table = new_table(
        'a text COLLATE "C", b text COLLATE "POSIX", c varchar(3)', [("x", "x", "x"), ("x", "y", "x"), ("X", "x", "X"), (None, "x", "")]
    )
    declare(environment, "collated", "a STRING, b STRING, c VARCHAR(3)", table)
    for condition, count in (
        ("a = b", 1),
        ("a < b", 2),
        ("a IN (b, 'X')", 2),
        ("b BETWEEN a AND c", 1),
        ("a IS DISTINCT FROM b", 3),
        ("a = c", 3),
    ):
        text = environment.explain_sql(f"SELECT a, b FROM collated WHERE {condition}")
        assert 'COLLATE "C"' in text, condition
        rows = environment.execute_sql(f"SELECT a, b FROM collated WHERE {condition}").collect()
        assert len(list(rows)) == count, condition


def test_an_error_of_a_function_of_a_view_is_that_of_postgresql(environment: TableEnvironment) -> None:
    table = new_table("id int4", [(1,)])
    function, view = table.replace(".tested", ".failing"), table.replace(".tested", ".broken")
    body = "BEGIN RAISE EXCEPTION 'which collation?' USING ERRCODE = 'indeterminate_collation'; END"
    run(
        f"CREATE FUNCTION {function}(n int4) RETURNS int4 LANGUAGE plpgsql AS $$ {body} $$",
        f"CREATE VIEW {view} AS SELECT {function}(id) AS id FROM {table}",
    )
    declare(environment, "broken", "id INT", view)
    with pytest.raises(TableRuntimeException, match=r"rejects a statement: which collation\?"):
        list(environment.execute_sql("SELECT * FROM broken").collect())


def test_rows_are_joined_with_a_lookup_and_upserted(environment: TableEnvironment) -> None:
    people = new_table("id int4 PRIMARY KEY, name text", [(1, "Ada"), (2, "Grace"), (3, None)])
    totals = new_table("name text PRIMARY KEY, total int8, seen date", [("Ada", 0, "2020-01-01"), ("old", 5, "2020-01-01")])
    declare(environment, "people", "id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED", people)
    declare(environment, "totals", "name STRING, total BIGINT, seen DATE, PRIMARY KEY (name) NOT ENFORCED", totals)
    environment.execute_sql(
        "CREATE VIEW orders AS SELECT person, amount, PROCTIME() AS pt FROM (VALUES (1, 10), (2, 20), (1, 5), (9, 1)) AS o(person, amount)"
    )
    environment.execute_sql(
        "INSERT INTO totals SELECT p.name, SUM(o.amount), DATE '2026-01-01' FROM orders AS o "
        "JOIN people FOR SYSTEM_TIME AS OF o.pt AS p ON o.person = p.id GROUP BY p.name"
    )
    assert sorted(run(f"SELECT name, total, seen::text FROM {totals}")) == [
        ("Ada", 15, "2026-01-01"),
        ("Grace", 20, "2026-01-01"),
        ("old", 5, "2020-01-01"),
    ]


def test_rows_are_looked_up_over_several_connections(environment: TableEnvironment) -> None:
    people = new_table("id int4 PRIMARY KEY, name text", [(number, f"n{number}") for number in range(0, 50, 2)])
    declare(environment, "people", "id INT, name STRING", people, **{"lookup.async": "true"})
    numbers = ", ".join(f"({number})" for number in range(1, 51))
    environment.execute_sql(f"CREATE VIEW ids AS SELECT id, PROCTIME() AS pt FROM (VALUES {numbers}) AS s(id)")
    query = "SELECT o.id, p.name FROM ids AS o LEFT JOIN people FOR SYSTEM_TIME AS OF o.pt AS p ON o.id = p.id"
    found = {row[0]: row[1] for row in environment.execute_sql(query).collect()}
    assert found == {number: None if number % 2 or number == 50 else f"n{number}" for number in range(1, 51)}


def test_a_sink_explains_that_it_writes_once(environment: TableEnvironment) -> None:
    declare(environment, "target", "id INT", new_table("id int4"))
    assert "delivery=[exactly-once]" in environment.explain_sql("INSERT INTO target VALUES (1)")


def test_update_and_delete_change_rows(environment: TableEnvironment) -> None:
    table = new_table("id int4 PRIMARY KEY, n int4", [(1, 10), (2, 20), (3, 30)])
    declare(environment, "changed", "id INT, n INT, PRIMARY KEY (id) NOT ENFORCED", table)
    environment.execute_sql("UPDATE changed SET n = n + 1 WHERE id > 1")
    environment.execute_sql("DELETE FROM changed WHERE n = 21")
    assert sorted(run(f"SELECT id, n FROM {table}")) == [(1, 10), (3, 31)]
    environment.execute_sql("TRUNCATE TABLE changed")
    assert run(f"SELECT id FROM {table}") == []


def test_jsonb_is_a_variant_that_is_read_joined_and_written(environment: TableEnvironment) -> None:
    texts = ['{"tags": ["a", "b"], "n": 1.50}', "[1, null]", '"é"', "null", None]
    documents = new_table("id int4 PRIMARY KEY, doc jsonb, docs jsonb[]", [(row, text, None) for row, text in enumerate(texts)])
    copies = new_table("id int4 PRIMARY KEY, doc jsonb, docs jsonb[]")
    for name, table in (("documents", documents), ("copies", copies)):
        declare(environment, name, "id INT, doc VARIANT, docs ARRAY<VARIANT>, PRIMARY KEY (id) NOT ENFORCED", table)
    rows = environment.execute_sql(
        "SELECT id, JSON_STRING(doc), CASE WHEN id = 0 THEN JSON_STRING(doc['tags'][2]) END FROM documents WHERE doc IS NOT NULL"
    ).collect()
    assert sorted(tuple(row) for row in rows) == [
        (0, '{"n":1.5,"tags":["a","b"]}', '"b"'),
        (1, "[1,null]", None),
        (2, '"é"', None),
        (3, "null", None),
    ]
    environment.execute_sql("INSERT INTO copies SELECT d.id, d.doc, ARRAY[d.doc, CAST(NULL AS VARIANT)] FROM documents AS d")
    assert run(f"SELECT count(*) FROM {copies} c JOIN {documents} d USING (id) WHERE c.doc IS NOT DISTINCT FROM d.doc") == [(5,)]
    assert sorted(run(f"SELECT id, docs[1]::text, docs[2]::text FROM {copies}"))[:2] == [
        (0, '{"n": 1.5, "tags": ["a", "b"]}', None),
        (1, "[1, null]", None),
    ]


def test_the_splits_of_a_scan_leave_no_transaction_open(environment: TableEnvironment) -> None:
    table = new_table("id int4", [(number,) for number in range(20)])
    declare(environment, "split", "id INT", table, **{"scan.partition.column": "id", "scan.partition.num": "4"})
    found = sorted(row[0] for row in environment.execute_sql("SELECT id FROM split").collect())
    assert found == list(range(20))
    # The threads of a job end soon after its last row.
    eventually(lambda: run("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'") == [(0,)])


def test_a_catalog_shows_the_tables_of_a_server(environment: TableEnvironment) -> None:
    table = new_table("id int4 PRIMARY KEY, tags text[]", [(1, "{a,b}"), (2, None)])
    environment.execute_sql(f"CREATE CATALOG pg WITH ('type' = 'jdbc', 'base-url' = '{server_url()}', 'default-database' = 'postgres')")
    environment.execute_sql("USE CATALOG pg")
    assert (table,) in [tuple(row) for row in environment.execute_sql("SHOW TABLES").collect()]
    assert [tuple(row) for row in environment.execute_sql(f"SELECT id, tags[1] FROM `{table}` ORDER BY id").collect()] == [
        (1, "a"),
        (2, None),
    ]
    environment.execute_sql(f"INSERT INTO `{table}` VALUES (2, ARRAY['c'])")
    assert sorted(run(f"SELECT id, tags FROM {table}")) == [(1, ["a", "b"]), (2, ["c"])]
    with pytest.raises(ValidationException, match="read-only"):
        environment.execute_sql("CREATE TABLE more (id INT)")


def test_a_column_without_counterpart_leaves_the_others_readable(environment: TableEnvironment) -> None:
    table = new_table("id int4, spot point NOT NULL, name text", [(1, "(1,2)", "x")])
    environment.execute_sql(f"CREATE CATALOG pg WITH ('type' = 'jdbc', 'base-url' = '{server_url()}', 'default-database' = 'postgres')")
    path = f"pg.postgres.`{table}`"
    types = {row[0]: row[1] for row in environment.execute_sql(f"DESCRIBE {path}").collect()}
    assert types == {"id": "INT", "spot": "RAW('point', 'postgresql')", "name": "STRING"}
    assert [tuple(row) for row in environment.execute_sql(f"SELECT name, id FROM {path} WHERE id > 0").collect()] == [("x", 1)]
    assert [tuple(row) for row in environment.execute_sql(f"SELECT COUNT(*) FROM {path}").collect()] == [(1,)]
    for statement in (f"SELECT * FROM {path}", f"SELECT spot FROM {path}"):
        with pytest.raises(ValidationException) as caught:
            list(environment.execute_sql(statement).collect())
        assert caught.value.message.startswith("Column 'spot' of PostgreSQL's table")
        assert caught.value.message.endswith("is point, which has no counterpart.")
        assert 'CAST("spot" AS text)' in (caught.value.hint or "")
