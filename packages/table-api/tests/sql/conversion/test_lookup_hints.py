"""LOOKUP hints: their options, and the tables that they name."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from table_api.operations import LookupHint, QueryOperation, TemporalJoinQueryOperation
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import ValidationException
from table_common.tree import preorder

LEFT = "(SELECT name, age, PROCTIME() AS pt, CAST(TIMESTAMP '2020-01-01 00:00:00' AS TIMESTAMP(3)) AS ts FROM t) AS o"
RETRY = "'retry-predicate'='lookup_miss', 'retry-strategy'='fixed_delay', 'fixed-delay'='10 s', 'max-attempts'='3'"


@pytest.fixture
def joined(session: Any) -> Any:
    def run(join: str, select: str = "SELECT") -> TemporalJoinQueryOperation:
        query = f"{select} * FROM {LEFT} {join}"
        operation = convert_statement(parse_statement(query), session, query)
        assert isinstance(operation, QueryOperation)
        (found,) = [node for node in preorder(operation, QueryOperation) if isinstance(node, TemporalJoinQueryOperation)]
        return found

    return run


def test_the_hint_says_how_the_table_is_asked(joined: Any) -> None:
    hint = f"LOOKUP('table'='d', 'async'='true', 'output-mode'='allow_unordered', 'capacity'='7', 'timeout'='5 s', {RETRY})"
    node = joined("JOIN u FOR SYSTEM_TIME AS OF o.pt AS d ON o.name = d.name", f"SELECT /*+ {hint} */")
    assert node.hint == LookupHint(True, True, 7, timedelta(seconds=5), timedelta(seconds=10), 3)


def test_a_hint_names_the_table_if_that_has_no_alias(joined: Any) -> None:
    node = joined("JOIN u FOR SYSTEM_TIME AS OF o.pt ON o.name = u.name", "SELECT /*+ LOOKUP('table'='u', 'capacity'='1') */")
    assert node.hint.capacity == 1


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        ("LOOKUP('table'='e')", "names 'e', but no table of that name"),
        ("LOOKUP('async'='true')", "missing: table"),
        ("LOOKUP('table'='d', 'asinc'='true')", "did you mean 'async'"),
        ("LOOKUP('table'='d', 'capacity'='0')", "must be at least 1"),
        ("LOOKUP('table'='d', 'max-attempts'='3')", "'retry-predicate', 'retry-strategy', 'fixed-delay' is missing"),
        ("LOOKUP(d)", "accepts options only, but got 'd'"),
    ],
)
def test_wrong_hints_are_refused_at_their_place(joined: Any, hint: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message) as caught:
        joined("JOIN u FOR SYSTEM_TIME AS OF o.pt AS d ON o.name = d.name", f"SELECT /*+ {hint} */")
    assert caught.value.position is not None
