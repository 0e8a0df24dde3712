"""The nodes of ALTER: kind, path and one action."""

from __future__ import annotations

import pytest

from table_api.sql import ast
from table_api.sql.parser import parse_statement


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("ALTER TABLE IF EXISTS d.t RENAME TO u", ast.AlterStatement("TABLE", ("d", "t"), ast.RenameTo(("u",)), if_exists=True)),
        ("ALTER TABLE t SET ('a' = '1')", ast.AlterStatement("TABLE", ("t",), ast.SetOptions((("a", "1"),)))),
        ("ALTER CATALOG c RESET ('a', 'b')", ast.AlterStatement("CATALOG", ("c",), ast.ResetOptions(("a", "b")))),
        ("ALTER TABLE t RENAME a TO b", ast.AlterStatement("TABLE", ("t",), ast.RenameColumn(("a",), ("b",)))),
        ("ALTER TABLE t DROP PRIMARY KEY", ast.AlterStatement("TABLE", ("t",), ast.DropPrimaryKey())),
        ("ALTER TABLE t DROP (a, b)", ast.AlterStatement("TABLE", ("t",), ast.DropColumns((("a",), ("b",))))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_statement_is_this_node_whatever_its_spans(text: str, node: ast.AlterStatement) -> None:
    assert parse_statement(text) == node
