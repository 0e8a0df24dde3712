"""Statements that are not queries."""

from __future__ import annotations

import pytest

from table_api.operations import command
from table_api.sql import ast
from table_api.sql.parser import parse_statement
from table_common.exceptions import SqlParserException, ValidationException
from table_common.types import IntType, VarCharType


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("CREATE CATALOG IF NOT EXISTS c COMMENT 'x' WITH ('k'='v')", ast.CreateCatalog("c", (("k", "v"),), "x", True)),
        ("CREATE DATABASE c.d COMMENT 'x' WITH ()", ast.CreateDatabase(("c", "d"), (), "x")),
        ("CREATE FUNCTION f AS 'm.C'", ast.CreateFunction(("f",), "m.C")),
        (
            "CREATE TEMPORARY SYSTEM FUNCTION IF NOT EXISTS f AS 'm.C' LANGUAGE PYTHON",
            ast.CreateFunction(("f",), "m.C", "PYTHON", temporary=True, system=True, if_not_exists=True),
        ),
        (
            "CREATE FUNCTION f AS 'C' LANGUAGE JAVA USING JAR 'a', JAR 'b'",
            ast.CreateFunction(("f",), "C", "JAVA", (ast.Resource("JAR", "a"), ast.Resource("JAR", "b"))),
        ),
        (
            "CREATE MODEL m INPUT (a INT) OUTPUT (b STRING) WITH ('p'='o')",
            ast.CreateModel(("m",), (ast.ColumnDef("a", IntType()),), (ast.ColumnDef("b", VarCharType()),), options=(("p", "o"),)),
        ),
        ("CREATE TEMPORARY SYSTEM CONNECTION c WITH ('t'='x')", ast.CreateConnection(("c",), (("t", "x"),), temporary=True, system=True)),
        ("DROP CATALOG IF EXISTS c", ast.DropStatement("CATALOG", ("c",), if_exists=True)),
        ("DROP DATABASE d CASCADE", ast.DropStatement("DATABASE", ("d",), cascade=True)),
        ("DROP TEMPORARY VIEW v", ast.DropStatement("VIEW", ("v",), temporary=True)),
        ("DROP TEMPORARY SYSTEM FUNCTION f", ast.DropStatement("FUNCTION", ("f",), temporary=True, system=True)),
        ("DROP MATERIALIZED TABLE m", ast.DropStatement("MATERIALIZED TABLE", ("m",))),
        ("DROP MODEL m", ast.DropStatement("MODEL", ("m",))),
        ("DROP CONNECTION c", ast.DropStatement("CONNECTION", ("c",))),
        ("ALTER CATALOG c RESET ('k')", ast.AlterStatement("CATALOG", ("c",), ast.ResetOptions(("k",)))),
        ("ALTER CATALOG c COMMENT 'x'", ast.AlterStatement("CATALOG", ("c",), ast.SetComment("x"))),
        ("ALTER DATABASE d SET ('a'='b')", ast.AlterStatement("DATABASE", ("d",), ast.SetOptions((("a", "b"),)))),
        (
            "ALTER TEMPORARY FUNCTION IF EXISTS f AS 'C' LANGUAGE SQL",
            ast.AlterStatement("FUNCTION", ("f",), ast.ChangeFunction("C", "SQL"), if_exists=True, temporary=True),
        ),
        ("ALTER MODEL m RENAME TO n", ast.AlterStatement("MODEL", ("m",), ast.RenameTo(("n",)))),
        ("ALTER VIEW v RENAME TO w", ast.AlterStatement("VIEW", ("v",), ast.RenameTo(("w",)))),
        ("ALTER TABLE IF EXISTS t RENAME TO d.u", ast.AlterStatement("TABLE", ("t",), ast.RenameTo(("d", "u")), if_exists=True)),
        ("ALTER TABLE t RENAME a TO b", ast.AlterStatement("TABLE", ("t",), ast.RenameColumn(("a",), ("b",)))),
        ("ALTER TABLE t ADD a INT FIRST", ast.AlterStatement("TABLE", ("t",), ast.AddSchema((ast.ColumnDef("a", IntType(), first=True),)))),
        (
            "ALTER TABLE t MODIFY (a INT COMMENT 'c' AFTER b, PRIMARY KEY (a) NOT ENFORCED)",
            ast.AlterStatement(
                "TABLE",
                ("t",),
                ast.ModifySchema((ast.ColumnDef("a", IntType(), comment="c", after="b"),), (ast.PrimaryKeyDef(("a",), enforced=False),)),
            ),
        ),
        (
            "ALTER TABLE t ADD DISTRIBUTION BY (a)",
            ast.AlterStatement("TABLE", ("t",), ast.AddSchema(distribution=ast.DistributionDef(None, ("a",), None))),
        ),
        ("ALTER TABLE t DROP (a, b)", ast.AlterStatement("TABLE", ("t",), ast.DropColumns((("a",), ("b",))))),
        ("ALTER TABLE t DROP a", ast.AlterStatement("TABLE", ("t",), ast.DropColumns((("a",),)))),
        ("ALTER TABLE t DROP PRIMARY KEY", ast.AlterStatement("TABLE", ("t",), ast.DropPrimaryKey())),
        ("ALTER TABLE t DROP CONSTRAINT c", ast.AlterStatement("TABLE", ("t",), ast.DropConstraint("c"))),
        ("ALTER TABLE t DROP WATERMARK", ast.AlterStatement("TABLE", ("t",), ast.DropWatermark())),
        ("ALTER TABLE t DROP DISTRIBUTION", ast.AlterStatement("TABLE", ("t",), ast.DropDistribution())),
        ("ALTER MATERIALIZED TABLE m SUSPEND", ast.AlterStatement("MATERIALIZED TABLE", ("m",), ast.Suspend())),
        (
            "ALTER MATERIALIZED TABLE m RESUME WITH ('a'='b')",
            ast.AlterStatement("MATERIALIZED TABLE", ("m",), ast.Resume((("a", "b"),))),
        ),
        (
            "ALTER MATERIALIZED TABLE m SET REFRESH_MODE = FULL",
            ast.AlterStatement("MATERIALIZED TABLE", ("m",), ast.SetRefreshMode("FULL")),
        ),
        ("TRUNCATE TABLE t", ast.TruncateTable(("t",))),
        ("ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS a, b", ast.AnalyzeTable(("t",), columns=("a", "b"))),
        ("ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS", ast.AnalyzeTable(("t",), all_columns=True)),
        ("CALL c.d.p()", ast.CallProcedure(("c", "d", "p"))),
        ("BEGIN STATEMENT SET", ast.BeginStatementSet()),
        ("END", ast.EndStatementSet()),
        ("EXECUTE PLAN 'f'", ast.ExecutePlan("f")),
        ("LOAD MODULE m WITH ('a'='b')", command.LoadModuleOperation("m", {"a": "b"})),
        ("UNLOAD MODULE m", command.UnloadModuleOperation("m")),
        ("USE MODULES a, b", command.UseModulesOperation(("a", "b"))),
        ("USE CATALOG c", command.UseCatalogOperation("c")),
        ("USE c.d", ast.UseDatabase(("c", "d"))),
        ("ADD JAR 'x'", ast.AddJar("x")),
        ("REMOVE JAR 'x'", ast.RemoveJar("x")),
        ("STOP JOB 'x' WITH SAVEPOINT WITH DRAIN", command.StopJobOperation("x", True, True)),
        ("SET", command.SetOptionOperation()),
        ("SET 'a' = 'b';", command.SetOptionOperation("a", "b")),
        ("RESET", command.ResetOperation()),
        ("RESET 'a'", command.ResetOperation("a")),
        ("SHOW CATALOGS NOT ILIKE 'x'", command.ShowOperation("CATALOGS", like=command.ShowLike("x", True, True))),
        ("SHOW DATABASES IN c LIKE 'x'", command.ShowOperation("DATABASES", ("c",), "IN", command.ShowLike("x"))),
        ("SHOW TABLES FROM d", command.ShowOperation("TABLES", ("d",), "FROM")),
        ("SHOW MATERIALIZED TABLES", command.ShowOperation("MATERIALIZED TABLES")),
        ("SHOW USER FUNCTIONS", command.ShowOperation("USER FUNCTIONS")),
        ("SHOW FULL MODULES", command.ShowOperation("FULL MODULES")),
        ("SHOW CURRENT DATABASE", command.ShowOperation("CURRENT DATABASE")),
        ("SHOW COLUMNS IN t LIKE 'x'", command.ShowOperation("COLUMNS", ("t",), "IN", command.ShowLike("x"))),
        ("SHOW CREATE MATERIALIZED TABLE t", command.ShowOperation("CREATE MATERIALIZED TABLE", ("t",))),
        ("SHOW CREATE CATALOG c", command.ShowOperation("CREATE CATALOG", ("c",))),
        ("DESCRIBE EXTENDED t", command.DescribeOperation("TABLE", ("t",), True)),
        ("DESC CATALOG EXTENDED c", command.DescribeOperation("CATALOG", ("c",), True)),
        ("DESCRIBE catalog", command.DescribeOperation("TABLE", ("catalog",))),
        ("DESCRIBE JOB 'x'", command.DescribeOperation("JOB", ("x",))),
    ],
)
def test_statement(text: str, node: ast.Statement) -> None:
    assert parse_statement(text) == node


@pytest.mark.parametrize("name", ["JARS", "JOBS", "VIEWS", "PROCEDURES", "MODELS", "CONNECTIONS", "MODULES", "FUNCTIONS"])
def test_show_lists(name: str) -> None:
    assert parse_statement(f"SHOW {name}") == command.ShowOperation(name)


# --- DML --------------------------------------------------------------------------------------------------------------------------


def test_insert_with_every_part() -> None:
    statement = parse_statement("INSERT INTO d.t /*+ OPTIONS('a'='b') */ PARTITION (p = 1) (x, r.y) SELECT 1, 2 ON CONFLICT DO NOTHING")
    assert isinstance(statement, ast.Insert)
    assert (statement.path, statement.columns, statement.overwrite) == (("d", "t"), (("x",), ("r", "y")), False)
    assert [key for key, _ in statement.partition] == ["p"]
    assert statement.hints[0].name == "OPTIONS"
    assert statement.on_conflict == "NOTHING"


def test_insert_of_a_query_in_parentheses() -> None:
    statement = parse_statement("INSERT OVERWRITE t (SELECT 1)")
    assert isinstance(statement, ast.Insert)
    assert (statement.overwrite, statement.columns) == (True, ())


def test_update_and_delete() -> None:
    update = parse_statement("UPDATE t SET a = 1, b = b + 1 WHERE c")
    assert isinstance(update, ast.Update)
    assert [assignment.column for assignment in update.assignments] == [("a",), ("b",)]
    delete = parse_statement("DELETE FROM t WHERE a = 1")
    assert isinstance(delete, ast.Delete)
    assert delete.where is not None


def test_statement_set_is_one_statement() -> None:
    statement = parse_statement(
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT CASE WHEN x THEN 1 END FROM t; INSERT INTO b VALUES (1); END;"
    )
    assert isinstance(statement, ast.Execute)
    assert isinstance(statement.statement, ast.StatementSet)
    assert [insert.path for insert in statement.statement.inserts] == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("text", "details", "kind"),
    [
        ("EXPLAIN SELECT 1", (), ast.Select),
        ("EXPLAIN PLAN FOR INSERT INTO t SELECT 1", (), ast.Insert),
        ("EXPLAIN ESTIMATED_COST, CHANGELOG_MODE SELECT 1", ("ESTIMATED_COST", "CHANGELOG_MODE"), ast.Select),
        ("EXPLAIN STATEMENT SET BEGIN INSERT INTO t SELECT 1; END", (), ast.StatementSet),
        ("EXPLAIN CREATE TABLE t AS SELECT 1", (), ast.CreateTable),
        ("EXPLAIN EXECUTE SELECT 1", (), ast.Execute),
    ],
)
def test_explain(text: str, details: tuple[str, ...], kind: type[object]) -> None:
    statement = parse_statement(text)
    assert isinstance(statement, ast.Explain)
    assert statement.details == details
    assert isinstance(statement.statement, kind)


def test_compile_plan() -> None:
    plan = parse_statement("COMPILE PLAN 'f' IF NOT EXISTS FOR INSERT INTO t SELECT 1")
    assert isinstance(plan, ast.CompilePlan)
    assert (plan.file, plan.if_not_exists) == ("f", True)
    run = parse_statement("COMPILE AND EXECUTE PLAN 'f' FOR STATEMENT SET BEGIN INSERT INTO t SELECT 1; END")
    assert isinstance(run, ast.CompileAndExecutePlan)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE SYSTEM FUNCTION f AS 'x'",
        "CREATE OR REPLACE DATABASE d",
        "CREATE FUNCTION f AS 'x' LANGUAGE PYTHON USING JAR 'j'",
        "EXPLAIN CREATE TABLE t (a INT)",
        "EXPLAIN CHANGELOG_MODE, CHANGELOG_MODE SELECT 1",
        "UPSERT OVERWRITE t SELECT 1",
        "STOP JOB 'x' WITH DRAIN",
        "EXECUTE STATEMENT SET BEGIN END",
        "CREATE TABLE t (a INTERVAL DAY)",
        "CREATE TABLE t (WATERMARK FOR a AS a, WATERMARK FOR b AS b)",
        "SHOW TABLES ILIKE 'x'",
        "GRANT SELECT ON t TO x",
    ],
)
def test_what_flinks_grammar_refuses(text: str) -> None:
    with pytest.raises(SqlParserException):
        parse_statement(text)


@pytest.mark.parametrize("text", ["SET a.b = c", "MERGE INTO t USING u ON a WHEN MATCHED THEN UPDATE SET b = 1", "SELECT 1; SELECT 2"])
def test_what_flink_parses_and_then_refuses(text: str) -> None:
    with pytest.raises(ValidationException) as caught:
        parse_statement(text)
    assert caught.value.category == "validation"
