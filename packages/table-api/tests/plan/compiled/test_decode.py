"""JSON as nodes: only listed classes, with fields of the right types."""

from __future__ import annotations

import math
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from table_api.operations import FilterQueryOperation, JoinType, SetOperationType, SetQueryOperation
from table_api.plan.compiled.decode import PlanReader
from table_api.plan.compiled.encode import PlanWriter
from table_api.resolution.operation_builder import OperationBuilder
from table_common.exceptions import TableException, ValidationException
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression
from table_common.types import ArrayType, BooleanType, IntType, LocalZonedTimestampType, NullType, SymbolType, TimestampKind, TimestampType


@pytest.fixture
def reader(session: Any) -> PlanReader:
    return PlanReader(session, "ALL")


@pytest.mark.parametrize(
    "value",
    [
        None,
        "a",
        -0.0,
        math.inf,
        Decimal("1.50"),
        b"\x00\xff",
        date(2020, 1, 2),
        timedelta(milliseconds=1500),
        JoinType.ANTI,
        (1, ("a", ())),
        {"k": (1,)},
        ArrayType(IntType(nullable=False)),
        NullType(),
        SymbolType(nullable=False),
        TimestampType(3, kind=TimestampKind.ROWTIME),
        LocalZonedTimestampType(3, kind=TimestampKind.PROCTIME, nullable=False),
        FieldReferenceExpression("a", IntType(), 0, 2),
    ],
    ids=str,
)
def test_an_encoded_value_is_decoded_to_itself(reader: PlanReader, session: Any, value: Any) -> None:
    decoded = reader.value(PlanWriter(session, "ALL").value(value))
    assert decoded == value
    assert type(decoded) is type(value)


def test_nan_is_decoded(reader: PlanReader) -> None:
    assert math.isnan(reader.value({"$float": "nan"}))


def test_a_plan_is_decoded_with_its_shared_nodes(reader: PlanReader, session: Any) -> None:
    query = OperationBuilder(session).from_path(("t",))
    shared = FilterQueryOperation(ValueLiteralExpression(True, BooleanType(nullable=False)), query)
    both = SetQueryOperation((shared, shared), SetOperationType.UNION, True, shared.resolved_schema.column_types)
    writer = PlanWriter(session, "IDENTIFIER")
    number = writer.add(both)
    decoded = PlanReader(session, "IDENTIFIER").read(writer.nodes)[number]
    assert decoded == both
    assert decoded.inputs[0] is decoded.inputs[1]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"$enum": "JoinType.NONE"}, r"a \$enum is malformed"),
        ({"$decimal": "one"}, r"a \$decimal is malformed"),
        ({"$bytes": "0"}, r"a \$bytes is malformed"),
        ({"$date": "today"}, r"a \$date is malformed"),
        ({"$seconds": "1"}, r"a \$seconds is malformed"),
        ({"$node": 7}, "node 7 is used before it is defined"),
        ({"$pickle": "…"}, r"it has a \$pickle, which this version does not support"),
        (
            {"type": "FieldReferenceExpression", "name": 1, "output_type": {"$type": "INT"}},
            "the field 'name' of a FieldReferenceExpression",
        ),
        ({"type": "FieldReferenceExpression", "name": "a"}, "a FieldReferenceExpression has no output_type"),
        ({"type": "FieldReferenceExpression", "size": 1}, "FieldReferenceExpression has no size"),
    ],
    ids=str,
)
def test_a_damaged_value_is_refused(reader: PlanReader, written: Any, message: str) -> None:
    with pytest.raises(TableException, match=message) as caught:
        reader.value(written)
    assert caught.value.hint == "compile it again with this version"


@pytest.mark.parametrize("kind", ["os.system", "Popen", 7, None])
def test_a_class_that_is_not_listed_is_refused(reader: PlanReader, kind: Any) -> None:
    with pytest.raises(ValidationException, match=f"Kind of node '{kind}'"):
        reader.value({"type": kind})


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ({}, "its nodes are not a list"),
        ([7], "a node has no number"),
        ([{"type": "Filter"}], "a node has no number"),
        ([{"id": 1, "type": "Filter"}], "a Filter has no"),
        ([{"id": 1, "type": "Values", "rows": [[1]], "schema": 7}], r"the field '\w+' of a Values has the wrong type"),
    ],
    ids=str,
)
def test_damaged_nodes_are_refused(reader: PlanReader, nodes: Any, message: str) -> None:
    with pytest.raises(TableException, match=message):
        reader.read(nodes)
