from __future__ import annotations

import dataclasses
from decimal import Decimal
from typing import Any

import pytest

from table_api.expressions.unresolved import FrameBoundKind, FrameUnit
from table_api.operations import (
    QUERY_OPERATIONS,
    AggregateCall,
    FilterQueryOperation,
    SinkModifyOperation,
    TumbleWindow,
    ValuesQueryOperation,
    WindowBound,
    WindowCall,
    WindowFrame,
    WindowQueryOperation,
)
from table_api.operations.changelog import CHANGELOG_OPERATIONS
from table_api.plan.changelog.signature_fields import EXCEPTIONS, Facts, shortened
from table_common.catalog import ResolvedSchema
from table_common.configuration import ExecutionConfigOptions, PythonOptions, TableConfigOptions
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    PatternExpression,
    RowNavigation,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.functions import FunctionDefinition, ScalarFunction, UserFunction
from table_common.functions.builtin import aggregates, arithmetic, comparison, conditional, conversion, strings, temporal
from table_common.tree import Part
from table_common.types import (
    ArrayType,
    BigIntType,
    BooleanType,
    CharType,
    DecimalType,
    IntType,
    LocalZonedTimestampType,
    TinyIntType,
    VarCharType,
)

INT = IntType()
ZONE = TableConfigOptions.LOCAL_TIME_ZONE.key
LEGACY = ExecutionConfigOptions.TABLE_EXEC_LEGACY_CAST_BEHAVIOUR.key
FACTS = Facts(lambda reference: f"t.{reference.name}", {ZONE: "UTC"})


def column(name: str = "a", data_type: Any = INT) -> FieldReferenceExpression:
    return FieldReferenceExpression(name, data_type, 0, 0)


def literal(value: Any, data_type: Any = INT) -> ValueLiteralExpression:
    return ValueLiteralExpression(value, data_type)


def call(function: Any, *args: Any, data_type: Any = INT) -> CallExpression:
    return CallExpression(function, args, data_type)


class Half(ScalarFunction):
    """A function whose results may have fractions."""

    def eval(self, value: int) -> int:
        return value // 2


def user_function() -> FunctionDefinition:
    return UserFunction(Half())


def over(unit: FrameUnit = FrameUnit.ROWS, rows: int = 4) -> WindowCall:
    frame = WindowFrame(unit, WindowBound(FrameBoundKind.PRECEDING, literal(rows)), WindowBound(FrameBoundKind.CURRENT_ROW))
    return WindowCall(aggregates.SUM, (column(),), INT, frame)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        ("a", "'a'"),
        (1, "1"),
        ((1, "1"), "[1, '1']"),
        ({"b": 1, "a": 2}, "{'a': 2, 'b': 1}"),
        (FrameUnit.ROWS, "ROWS"),
        (VarCharType(5), "VARCHAR(5)"),
        (aggregates.SUM, "SUM"),
        (TumbleWindow(5), "TumbleWindow(size=5)"),
        (TumbleWindow(5, 1), "TumbleWindow(size=5, offset=1)"),
        (AggregateCall(aggregates.SUM, (column(),), BigIntType(), distinct=True), "SUM(t.a) distinct=True"),
    ],
)
def test_text_of_a_value(value: object, text: str) -> None:
    assert FACTS.text(value) == text


def test_columns_within_an_expression_have_their_types() -> None:
    assert FACTS.text(column()) == "t.a"
    assert FACTS.text(call(arithmetic.PLUS, column(), literal(1))) == "PLUS(t.a: INT, 1: INT)"


def test_a_type_within_an_expression_counts_if_values_depend_on_it() -> None:
    def text_of(digits: DecimalType) -> str:
        return FACTS.text(call(conversion.CAST, column("d", digits), TypeLiteralExpression(VarCharType()), data_type=VarCharType()))

    assert text_of(DecimalType(10, 2)) == text_of(DecimalType(12, 2)) != text_of(DecimalType(12, 3))


def test_the_length_of_a_text_counts_only_where_it_is_cast() -> None:
    def upper(length: int) -> str:
        return FACTS.text(call(strings.UPPER, column("s", VarCharType(length)), data_type=VarCharType(length)))

    def cast(length: int) -> str:
        type_ = VarCharType(length)
        return FACTS.text(call(conversion.CAST, column("s", VarCharType()), TypeLiteralExpression(type_), data_type=type_))

    assert upper(5) == upper(6)
    assert cast(5) != cast(6)


def test_points_in_time_are_read_in_a_zone() -> None:
    time = call(conversion.CAST, column("t", LocalZonedTimestampType(3)), TypeLiteralExpression(VarCharType()), data_type=VarCharType())
    assert FACTS.text(time) != Facts(FACTS.references, {ZONE: "Asia/Tokyo"}).text(time)


def test_points_in_time_inside_of_values_are_read_in_a_zone_too() -> None:
    times = call(
        conversion.CAST, column("t", ArrayType(LocalZonedTimestampType(3))), TypeLiteralExpression(VarCharType()), data_type=VarCharType()
    )
    assert FACTS.text(times) != Facts(FACTS.references, {ZONE: "Asia/Tokyo"}).text(times)


def test_what_casts_depends_on_how_casts_are_done() -> None:
    legacy = Facts(FACTS.references, {**FACTS.settings, LEGACY: "ENABLED"})
    narrowed = call(conversion.CAST, column(), TypeLiteralExpression(TinyIntType()), data_type=TinyIntType())
    text = VarCharType(2)
    branch = call(conditional.IF, column("b", BooleanType()), column("c", CharType(2)), column("s", text), data_type=text)
    for value in (narrowed, branch, AggregateCall(aggregates.SUM, (narrowed,), BigIntType())):
        assert legacy.text(value) != FACTS.text(value)
    for value in (call(arithmetic.PLUS, column(), literal(1)), AggregateCall(aggregates.SUM, (column(),), BigIntType())):
        assert legacy.text(value) == FACTS.text(value)


def test_calls_of_user_functions_depend_on_what_is_done_with_fractions() -> None:
    cuts = Facts(FACTS.references, {**FACTS.settings, PythonOptions.PYTHON_TRUNCATE_FRACTIONS.key: "true"})
    own = call(user_function(), column())
    assert cuts.text(own) != FACTS.text(own)
    assert cuts.text(AggregateCall(user_function(), (column(),), INT)) != FACTS.text(AggregateCall(user_function(), (column(),), INT))
    assert cuts.text(call(arithmetic.PLUS, column(), literal(1))) == FACTS.text(call(arithmetic.PLUS, column(), literal(1)))


def test_all_calls_depend_on_a_setting_that_does_not_say_which() -> None:
    new = Facts(FACTS.references, {**FACTS.settings, "table.exec.new-option": "on"})
    assert new.text(call(arithmetic.PLUS, column(), literal(1))) == "PLUS(t.a: INT, 1: INT) with table.exec.new-option=on"


@pytest.mark.parametrize("function", [temporal.FROM_UNIXTIME, temporal.UNIX_TIMESTAMP], ids=str)
def test_numbers_and_texts_are_times_of_a_zone(function: FunctionDefinition) -> None:
    value = call(function, column("t", VarCharType()), data_type=VarCharType())
    assert FACTS.text(value) != Facts(FACTS.references, {ZONE: "Asia/Tokyo"}).text(value)


@pytest.mark.parametrize("other", [over(FrameUnit.RANGE), over(rows=2), dataclasses.replace(over(), distinct=True)])
def test_everything_of_a_call_counts(other: WindowCall) -> None:
    assert FACTS.text(over()) == FACTS.text(over())
    assert FACTS.text(other) != FACTS.text(over())


def test_columns_of_a_pattern_are_those_of_its_rows() -> None:
    condition = call(comparison.EQUALS, FieldReferenceExpression("A.a", INT, 0, 0), literal(1), data_type=BooleanType())
    texts = [FACTS.text(PatternExpression(condition, (RowNavigation("A", column(name)),))) for name in "ab"]
    assert texts[0] == "EQUALS(RowNavigation(variable='A', column=t.a): INT, 1: INT)"
    assert texts[1] == texts[0].replace("t.a", "t.b")


def test_fields_without_inputs_exceptions_and_default_values() -> None:
    rows = ValuesQueryOperation((), ResolvedSchema.physical([("a", INT)]))
    assert FACTS.of_fields(FilterQueryOperation(column("b", BooleanType()), rows)) == {"condition": "t.b"}
    node = WindowQueryOperation((column(),), (), (over(),), ("o",), rows)
    assert FACTS.of_fields(node).keys() == {"partition_by", "order_by", "calls"}
    assert FACTS.of_fields(node, "calls").keys() == {"partition_by", "order_by"}


def test_long_texts_end_with_a_digest() -> None:
    expression = column()
    for _ in range(60):  # its text would have 2^60 columns
        expression = call(arithmetic.PLUS, expression, expression)  # type: ignore[assignment]
    assert len(FACTS.text(expression)) <= 300
    assert shortened("a" * 300) == "a" * 300
    assert shortened("a" * 301) != shortened("a" * 302)


def test_values_of_other_types_have_other_texts() -> None:
    assert len({FACTS.text(value) for value in (1, "1", Decimal("1"), b"1", 1.0, True)}) == 6


def test_exceptions_name_fields_of_nodes() -> None:
    known = {(cls, field.name) for cls, _ in EXCEPTIONS for field in dataclasses.fields(cls)}
    assert EXCEPTIONS.keys() <= known
    nodes = (*QUERY_OPERATIONS, *CHANGELOG_OPERATIONS, SinkModifyOperation, Part)
    assert all(issubclass(cls, nodes) and exception.reason for (cls, _), exception in EXCEPTIONS.items())
