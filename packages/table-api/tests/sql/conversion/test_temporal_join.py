"""JOIN … FOR SYSTEM_TIME AS OF: what becomes of the join and the LOOKUP hint, and what is refused where."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import JoinType, QueryOperation, TemporalJoinQueryOperation
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import TableError, TableException, ValidationException
from table_common.tree import preorder

LEFT = "(SELECT name, age, PROCTIME() AS pt, CAST(TIMESTAMP '2020-01-01 00:00:00' AS TIMESTAMP(3)) AS ts FROM t) AS o"


@pytest.fixture
def joined(session: Any) -> Any:
    def run(join: str, select: str = "SELECT") -> TemporalJoinQueryOperation:
        query = f"{select} * FROM {LEFT} {join}"
        operation = convert_statement(parse_statement(query), session, query)
        assert isinstance(operation, QueryOperation)
        (found,) = [node for node in preorder(operation, QueryOperation) if isinstance(node, TemporalJoinQueryOperation)]
        return found

    return run


@pytest.mark.parametrize(
    ("kind", "join_type"), [("JOIN", JoinType.INNER), ("INNER JOIN", JoinType.INNER), ("LEFT JOIN", JoinType.LEFT_OUTER)]
)
def test_a_join_at_processing_time_is_a_temporal_join(joined: Any, kind: str, join_type: JoinType) -> None:
    node = joined(f"{kind} u FOR SYSTEM_TIME AS OF o.pt AS d ON o.name = d.name")
    assert node.join_type is join_type
    assert node.resolved_schema.column_names == ("name", "age", "pt", "ts", "id", "name")


def test_a_comma_joins_too(joined: Any) -> None:
    assert joined(", u FOR SYSTEM_TIME AS OF o.pt AS d WHERE o.name = d.name").join_type is JoinType.INNER


def test_using_joins_too(joined: Any) -> None:
    assert joined("JOIN u FOR SYSTEM_TIME AS OF o.pt AS d USING (name)").condition is not None


@pytest.mark.parametrize(
    ("join", "message"),
    [
        ("RIGHT JOIN u FOR SYSTEM_TIME AS OF o.pt AS d ON o.name = d.name", "INNER or LEFT JOIN, but this is a RIGHT JOIN"),
        ("FULL JOIN u FOR SYSTEM_TIME AS OF o.pt AS d ON o.name = d.name", "a FULL JOIN"),
        ("JOIN u FOR SYSTEM_TIME AS OF PROCTIME() AS d ON o.name = d.name", "needs a time attribute of the left table"),
        ("JOIN u FOR SYSTEM_TIME AS OF o.ts AS d ON o.name = d.name", "needs a time attribute of the left table"),
        ("JOIN u FOR SYSTEM_TIME AS OF o.nix AS d ON o.name = d.name", "nix"),
    ],
)
def test_other_joins_and_times_are_refused_at_their_place(joined: Any, join: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message) as caught:
        joined(join)
    assert caught.value.position is not None


def test_a_table_that_is_not_joined_cannot_be_read_as_it_was(session: Any) -> None:
    query = "SELECT * FROM u FOR SYSTEM_TIME AS OF TIMESTAMP '2020-01-01 00:00:00'"
    with pytest.raises(TableException, match="Time travel is not supported for u"):
        convert_statement(parse_statement(query), session, query)


def test_a_query_in_the_condition_is_refused(joined: Any) -> None:
    with pytest.raises(TableError, match="cannot contain a subquery"):
        joined("JOIN u FOR SYSTEM_TIME AS OF o.pt AS d ON o.name = d.name AND d.id IN (SELECT age FROM t)")
