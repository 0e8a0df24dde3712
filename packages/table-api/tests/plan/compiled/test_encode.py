"""Values and nodes as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from table_api.operations import FilterQueryOperation, JoinType, SetOperationType, SetQueryOperation
from table_api.operations.query.external import ExternalQueryOperation
from table_api.plan.compiled.encode import PlanWriter
from table_api.resolution.operation_builder import OperationBuilder
from table_common.catalog import ResolvedSchema
from table_common.exceptions import TableException
from table_common.expressions import ValueLiteralExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.types import BooleanType, IntType, LogicalType, NullType, RowType, TimestampKind, TimestampType


@pytest.fixture
def writer(session: Any) -> PlanWriter:
    return PlanWriter(session, "ALL")


@dataclass(frozen=True, slots=True)
class Rows(ExternalQueryOperation):
    """Rows of the program."""

    @property
    def refusal(self) -> str:
        return "only here"

    def _make_schema(self) -> ResolvedSchema:
        return ResolvedSchema.physical([("a", IntType())])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        ("a", "a"),
        (7, 7),
        (0.5, 0.5),
        (math.inf, {"$float": "inf"}),
        (Decimal("1.50"), {"$decimal": "1.50"}),
        (b"\x00\xff", {"$bytes": "00ff"}),
        (date(2020, 1, 2), {"$date": "2020-01-02"}),
        (timedelta(milliseconds=1500), {"$seconds": 1.5}),
        (JoinType.SEMI, {"$enum": "JoinType.SEMI"}),
        ((1, ("a",)), [1, ["a"]]),
        ({"k": (1,)}, {"$map": [["k", [1]]]}),
        (IntType(nullable=False), {"$type": "INT NOT NULL"}),
        (NullType(), {"$type": "NULL"}),
        (TimestampType(3, kind=TimestampKind.ROWTIME), {"$type": "TIMESTAMP(3)", "kind": "ROWTIME"}),
    ],
    ids=str,
)
def test_a_value_is_encoded_as_json(writer: PlanWriter, value: Any, expected: Any) -> None:
    assert writer.value(value) == expected
    json.dumps(writer.value(value), allow_nan=False)


def test_fields_with_their_default_are_left_out(writer: PlanWriter, session: Any) -> None:
    scan = OperationBuilder(session).from_path(("t",))
    writer.add(scan)
    assert set(writer.nodes[0]) == {"id", "type", "table"}


def test_a_node_comes_after_its_inputs_and_a_shared_one_once(writer: PlanWriter, session: Any) -> None:
    shared = OperationBuilder(session).from_path(("t",))
    both = SetQueryOperation((shared, shared), SetOperationType.UNION, True, shared.resolved_schema.column_types)
    number = writer.add(both)
    assert [node["id"] for node in writer.nodes] == list(range(1, number + 1))
    assert writer.nodes[-1]["inputs"] == [{"$node": number - 1}] * 2
    assert writer.add(shared) == number - 1


def test_rows_of_the_program_are_refused(writer: PlanWriter) -> None:
    with pytest.raises(TableException, match="reads rows that exist only in this program"):
        writer.add(FilterQueryOperation(ValueLiteralExpression(True, BooleanType(nullable=False)), Rows()))


@pytest.mark.parametrize("value", [object(), {1, 2}])
def test_a_value_without_a_form_is_refused(writer: PlanWriter, value: Any) -> None:
    with pytest.raises(TableException, match=f"it contains a {type(value).__name__}, which cannot be written as JSON"):
        writer.value(value)


def test_a_plain_secret_of_a_hint_is_refused_and_a_reference_is_not(writer: PlanWriter, session: Any) -> None:
    scan = OperationBuilder(session).from_path(("t",))
    with pytest.raises(TableException, match="an OPTIONS hint contains the secret 'password'"):
        writer.add(replace(scan, options={"password": "hunter2"}))
    reference: Mapping[str, str] = {"password": "${env:PASSWORD}"}
    writer.add(replace(scan, options=reference))
    assert writer.nodes[-1]["options"] == {"$map": [["password", "${env:PASSWORD}"]]}


def test_a_type_that_its_text_does_not_say_is_refused(writer: PlanWriter) -> None:
    class OwnType(RowType):
        """A type that the parser does not know."""

    own: LogicalType = OwnType(RowType.of([("a", IntType())]).fields)
    with pytest.raises(TableException, match="the type ROW<`a` INT> cannot be written into a file"):
        writer.value(own)
