"""The nodes of statements about the session."""

from __future__ import annotations

import pytest

from table_api.operations import command
from table_api.sql import ast
from table_api.sql.parser import parse_statement


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("SET", command.SetOptionOperation()),
        ("SET 'a' = '1'", command.SetOptionOperation("a", "1")),
        ("RESET 'a'", command.ResetOperation("a")),
        ("USE CATALOG c", command.UseCatalogOperation("c")),
        ("USE c.d", ast.UseDatabase(("c", "d"))),
        ("USE MODULES a, b", command.UseModulesOperation(("a", "b"))),
        ("LOAD MODULE m WITH ('k' = 'v')", command.LoadModuleOperation("m", {"k": "v"})),
        ("UNLOAD MODULE m", command.UnloadModuleOperation("m")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_statement_is_this_node_whatever_its_spans(text: str, node: ast.Statement) -> None:
    assert parse_statement(text) == node
