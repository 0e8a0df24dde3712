"""The nodes of statements that change data or wrap another statement."""

from __future__ import annotations

import pytest

from table_api.expressions.unresolved import Reference
from table_api.sql.ast import Delete, Execute, Explain, Insert, Select, Statement, StatementSet, TableNameRef, TruncateTable
from table_api.sql.parser import parse_statement

QUERY = Select((Reference(("a",)),), TableNameRef(("u",)))
INSERT = Insert(("t",), QUERY)


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("INSERT INTO t SELECT a FROM u", INSERT),
        ("INSERT OVERWRITE t SELECT a FROM u", Insert(("t",), QUERY, overwrite=True)),
        ("INSERT INTO t (x) SELECT a FROM u", Insert(("t",), QUERY, (("x",),))),
        ("DELETE FROM t", Delete(("t",))),
        ("TRUNCATE TABLE t", TruncateTable(("t",))),
        ("EXECUTE INSERT INTO t SELECT a FROM u", Execute(INSERT)),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT a FROM u; END", Execute(StatementSet((INSERT,)))),
        ("EXPLAIN INSERT INTO t SELECT a FROM u", Explain(INSERT)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_statement_is_this_node_whatever_its_spans(text: str, node: Statement) -> None:
    assert parse_statement(text) == node
