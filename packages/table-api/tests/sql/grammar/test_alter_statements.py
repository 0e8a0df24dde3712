"""ALTER statements."""

from __future__ import annotations

from table_api.sql import ast
from table_api.sql.parser import parse_statement


def test_partitions_of_alter_table() -> None:
    statement = parse_statement("ALTER TABLE t ADD IF NOT EXISTS PARTITION (a = 1, b = 'x') WITH ('k'='v') PARTITION (a = 2, b = 'y')")
    assert isinstance(statement, ast.AlterStatement)
    assert isinstance(statement.action, ast.AddPartitions)
    assert statement.action.if_not_exists
    assert [[key for key, _ in spec.values] for spec in statement.action.partitions] == [["a", "b"], ["a", "b"]]
    assert statement.action.partitions[0].options == (("k", "v"),)


def test_drop_partitions() -> None:
    statement = parse_statement("ALTER TABLE t DROP IF EXISTS PARTITION (a = 1), PARTITION (a = 2)")
    assert isinstance(statement, ast.AlterStatement)
    assert isinstance(statement.action, ast.DropPartitions)
    assert len(statement.action.partitions) == 2


def test_alter_view_as_keeps_the_text() -> None:
    statement = parse_statement("ALTER VIEW v AS SELECT 1")
    assert isinstance(statement, ast.AlterStatement)
    assert isinstance(statement.action, ast.ChangeQuery)
    assert statement.action.query_text == "SELECT 1"
