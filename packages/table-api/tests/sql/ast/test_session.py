"""The nodes of statements about the session."""

from __future__ import annotations

import pytest

from table_api.sql import ast
from table_api.sql.parser import parse_statement


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("SET", ast.SetOption()),
        ("SET 'a' = '1'", ast.SetOption("a", "1")),
        ("RESET 'a'", ast.ResetOption("a")),
        ("USE CATALOG c", ast.UseStatement("CATALOG", ("c",))),
        ("USE c.d", ast.UseStatement("DATABASE", ("c", "d"))),
        ("USE MODULES a, b", ast.UseModules(("a", "b"))),
        ("LOAD MODULE m WITH ('k' = 'v')", ast.LoadModule("m", (("k", "v"),))),
        ("UNLOAD MODULE m", ast.UnloadModule("m")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_statement_is_this_node_whatever_its_spans(text: str, node: ast.Statement) -> None:
    assert parse_statement(text) == node
