"""JOIN … FOR SYSTEM_TIME AS OF: what becomes of the join and the LOOKUP hint, and what is refused where."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from table_api.operations import JoinType, QueryOperation, TemporalJoinQueryOperation, VersionedJoinQueryOperation
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import TableError, TableException, ValidationException
from table_common.tree import preorder
from table_common.types import LocalZonedTimestampType, TimestampKind

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
        ("JOIN u FOR SYSTEM_TIME AS OF o.ts AS d ON o.name = d.name", "An event-time temporal join .by ts. has no meaning in batch mode"),
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


@pytest.fixture
def versioned(session: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(session, "is_streaming_mode", True, raising=False)

    def run(join: str, left: str = "e") -> VersionedJoinQueryOperation:
        query = f"WITH plain AS (SELECT k, v FROM e), two AS (SELECT k, ts, ts AS again FROM e) SELECT * FROM {left} AS o {join}"
        operation = convert_statement(parse_statement(query), session, query)
        assert isinstance(operation, QueryOperation)
        (found,) = [node for node in preorder(operation, QueryOperation) if isinstance(node, VersionedJoinQueryOperation)]
        return found

    return run


@pytest.mark.parametrize(("kind", "join_type"), [("JOIN", JoinType.INNER), ("LEFT JOIN", JoinType.LEFT_OUTER)])
def test_a_join_at_event_time_is_a_join_with_versions(versioned: Any, kind: str, join_type: JoinType) -> None:
    node = versioned(f"{kind} e FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k")
    assert node.join_type is join_type
    assert [(time.name, time.input_index, time.field_index) for time in node.times] == [("ts", 0, 1), ("ts", 1, 1)]
    assert node.resolved_schema.column_names == ("k", "ts", "v", "k", "ts", "v")
    assert "leftTime=ts, rightTime=ts" in ", ".join(f"{name}={value}" for name, value in node.summary_details())


def test_the_right_columns_of_an_outer_join_may_be_null(versioned: Any) -> None:
    *_, v = versioned("LEFT JOIN e FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k").resolved_schema.columns
    assert v.data_type.nullable


@pytest.mark.parametrize(
    ("join", "message"),
    [
        ("RIGHT JOIN e FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k", "INNER or LEFT JOIN, but this is a RIGHT JOIN"),
        ("FULL JOIN e FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k", "a FULL JOIN"),
        ("JOIN plain FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k", "one event-time attribute of the right table, but plain has none"),
        ("JOIN two FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k", "but two has several: ts, again"),
        ("JOIN e FOR SYSTEM_TIME AS OF o.ts + INTERVAL '1' SECOND AS r ON o.k = r.k", "needs a time attribute of the left table"),
        ("JOIN e FOR SYSTEM_TIME AS OF r.ts AS r ON o.k = r.k", "r"),
    ],
)
def test_other_joins_with_versions_are_refused_at_their_place(versioned: Any, join: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message) as caught:
        versioned(join)
    assert caught.value.position is not None


def test_times_of_different_types_are_refused(versioned: Any, monkeypatch: pytest.MonkeyPatch, session: Any) -> None:
    tables = session.tables
    found = tables.find_table(("e",))
    columns = [
        replace(column, data_type=LocalZonedTimestampType(3, kind=TimestampKind.ROWTIME)) if column.name == "ts" else column
        for column in found.table.resolved_schema.columns
    ]
    table = replace(found.table, resolved_schema=replace(found.table.resolved_schema, columns=tuple(columns)))
    find = tables.find_table
    monkeypatch.setattr(type(tables), "find_table", lambda _, path: replace(found, table=table) if path[-1] == "zoned" else find(path))
    with pytest.raises(ValidationException, match=r"ts is TIMESTAMP\(3\).*zoned.ts is TIMESTAMP_LTZ\(3\)") as caught:
        versioned("JOIN zoned FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k")
    assert "CAST" in str(caught.value.hint)


def test_batch_mode_refuses_event_time(versioned: Any, session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "is_streaming_mode", False)
    with pytest.raises(ValidationException, match="has no meaning in batch mode") as caught:
        versioned("JOIN e FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k")
    assert "PROCTIME" in str(caught.value.hint)
