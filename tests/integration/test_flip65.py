"""FLIP-65 on both engines: each of its examples and each row of its tables that runs (``docs/reference/flip65.md`` lists them)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

import pytest

from table_api import Row, TableEnvironment
from table_api.udf import DataTypeHint, ScalarFunction, TableFunction, function_hint
from table_common.inference import explicit, sig
from table_common.inference import family as any_of
from table_common.inference.type_inference import TypeInference
from table_common.types import Instant, IntType, Period, VarCharType

MakeEnv = Callable[[str], TableEnvironment]
pytestmark = pytest.mark.parametrize("planner", ["arrow", "spark"])


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return [tuple(row) for row in found]


# --- the examples of FunctionHint -------------------------------------------------------------------------------------------------


@function_hint(output=DataTypeHint("ROW<a STRING, b INT>"))
class RowFunction(TableFunction[Row]):
    def eval(self, a: int, b: int, c: int) -> Iterator[Row]:
        yield Row(f"{a}-{b}", c)


def test_flip_65_example_class_hint_of_the_output(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("f", RowFunction)
    assert rows(env, "SELECT b, a FROM TABLE(f(1, 2, 3))") == [(3, "1-2")]


class TwoSignatures(TableFunction[str]):
    @function_hint(input=["INT", "BOOLEAN"])
    @function_hint(input=["STRING"])
    def eval(self, *args: object) -> None:
        self.collect(repr(args))


def test_flip_65_example_method_hints_are_overloads(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("f", TwoSignatures)
    assert rows(env, "SELECT * FROM TABLE(f(1, TRUE)), LATERAL TABLE(f('x')) AS t(y)") == [("(1, True)", "('x',)")]


@function_hint(input=[DataTypeHint(take_arbitrary_input=True)], is_var_args=True, output="STRING")
class Arbitrary(TableFunction[Any]):
    def eval(self, *args: object) -> list[str]:
        return [str(arg) for arg in args]


def test_flip_65_example_arbitrary_input_as_var_args(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("f", Arbitrary)
    assert rows(env, "SELECT * FROM TABLE(f(1, 'x', ARRAY[1]))") == [("1",), ("x",), ("[1]",)]


@function_hint(output="ROW<a INT, b STRING>")
class ClassAndMethod(TableFunction[Row]):
    @function_hint(input=["INT"])
    @function_hint(input=["BOOLEAN"])
    def eval(self, *args: object) -> Iterator[Row]:
        yield Row(len(args), str(args[0]))


def test_flip_65_example_class_hint_applies_to_all_method_hints(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("f", ClassAndMethod)
    assert rows(env, "SELECT t.b, u.a FROM TABLE(f(7)) AS t, LATERAL TABLE(f(TRUE)) AS u") == [("7", 1)]


# --- the examples of DataTypeHint -------------------------------------------------------------------------------------------------


class Scaled(ScalarFunction):
    def eval(self, dec: Annotated[Decimal, DataTypeHint("DECIMAL(5, 2)")], i: int, b: bool) -> int:
        return int(dec * 100) + i if b else i


def test_flip_65_example_help_for_some_of_the_parameters(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("f", Scaled)
    assert rows(env, "SELECT f(1.5, 2, x > 0) FROM (VALUES (1)) AS t(x)") == [(152,)]


class JodaDateTime:
    """A class of another library, without annotations."""

    def __init__(self, text):  # type: ignore[no-untyped-def]
        self.text = text


class MakeJoda(ScalarFunction):
    def eval(self, text: str) -> Annotated[JodaDateTime, DataTypeHint("ANY")]:
        return JodaDateTime(text)


class ReadJoda(ScalarFunction):
    def eval(self, t: Annotated[JodaDateTime, DataTypeHint("ANY")]) -> str:
        return f"{type(t).__name__} {t.text}"


def test_flip_65_example_explicit_any(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("make_joda", MakeJoda)
    env.create_temporary_function("read_joda", ReadJoda)
    assert rows(env, "SELECT read_joda(make_joda(x)) FROM (VALUES ('noon')) AS t(x)") == [("JodaDateTime noon",)]


@dataclass
class User:
    name: str
    born: JodaDateTime


class MakeUser(ScalarFunction):
    def eval(self, name: str) -> Annotated[User, DataTypeHint(version=1, force_raw_pattern=[f"{__name__}.Joda"])]:
        return User(name, JodaDateTime("once"))


class ReadUser(ScalarFunction):
    def eval(self, user: Annotated[User, DataTypeHint(version=1, force_raw_pattern=[f"{__name__}.Joda"])]) -> str:
        return f"{type(user).__name__} {user.name} {user.born.text}"


def test_flip_65_example_all_fields_but_those_of_a_library(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("make_user", MakeUser)
    env.create_temporary_function("read_user", ReadUser)
    sql = "SELECT read_user(u), t.u.name FROM (SELECT make_user(x) AS u FROM (VALUES ('Ann')) AS v(x)) AS t"
    assert rows(env, sql) == [("User Ann once", "Ann")]


class PrefixAndAny(TableFunction[str]):
    def eval(self, prefix: str, obj: Annotated[Any, DataTypeHint(take_arbitrary_input=True)]) -> None:
        self.collect(f"{prefix}{obj}")


def test_flip_65_example_a_string_and_an_arbitrary_parameter(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("f", PrefixAndAny)
    assert rows(env, "SELECT * FROM TABLE(f('a', 1)), LATERAL TABLE(f('b', DATE '2020-01-02')) AS t(y)") == [("a1", "b2020-01-02")]


class Manual(ScalarFunction):
    def eval(self, a: object) -> str:
        return f"<{a}>"

    def get_type_inference(self) -> TypeInference:
        return TypeInference(sig(any_of("INT", IntType)), explicit(VarCharType()))


def test_flip_65_manual_definition(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("f", Manual)
    assert rows(env, "SELECT f(x) FROM (VALUES (1)) AS t(x)") == [("<1>",)]


# --- the three structured classes, and case classes -------------------------------------------------------------------------------


class PublicField:
    field: int


class GetterAndSetter:
    def __init__(self) -> None:
        self._field = 0

    @property
    def field(self) -> int:
        return self._field

    @field.setter
    def field(self, field: int) -> None:
        self._field = field


class Immutable:
    def __init__(self, field: int) -> None:
        self._field = field

    @property
    def field(self) -> int:
        return self._field


@dataclass
class CaseClass:
    field: int


class NamedPair(NamedTuple):
    field: int


def identity_of(annotation: Any) -> ScalarFunction:
    def same(self: ScalarFunction, value: Any) -> Any:
        assert not isinstance(annotation, type) or annotation.__module__ != __name__ or type(value) is annotation
        return value

    same.__annotations__ = {"value": annotation, "return": annotation}
    return type("Same", (ScalarFunction,), {"eval": same})()


@pytest.mark.parametrize("class_", [PublicField, GetterAndSetter, Immutable, CaseClass, NamedPair])
def test_flip_65_test_pojo_goes_in_and_out(class_: type, planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("same", identity_of(class_))
    assert rows(env, "SELECT same(CAST(ROW(x) AS ROW<field BIGINT>)) FROM (VALUES (5)) AS t(x)") == [(Row(field=5),)]


# --- the table of classes ---------------------------------------------------------------------------------------------------------

CLASSES: dict[str, tuple[Any, str, Any]] = {
    "String": (str, "'ab'", "ab"),
    "Boolean": (bool, "TRUE", True),
    "Byte": (Annotated[int, DataTypeHint("TINYINT")], "CAST(7 AS TINYINT)", 7),
    "Short": (Annotated[int, DataTypeHint("SMALLINT")], "CAST(7 AS SMALLINT)", 7),
    "Integer": (Annotated[int, DataTypeHint("INT")], "7", 7),
    "Long": (int, "CAST(7 AS BIGINT)", 7),
    "Float": (Annotated[float, DataTypeHint("FLOAT")], "CAST(1.5 AS FLOAT)", 1.5),
    "Double": (float, "1.5e0", 1.5),
    "bytes": (bytes, "x'0aff'", b"\n\xff"),
    "Date": (dt.date, "DATE '2020-02-29'", dt.date(2020, 2, 29)),
    "Time": (dt.time, "TIME '01:02:03'", dt.time(1, 2, 3)),
    "Timestamp": (dt.datetime, "TIMESTAMP '2020-01-02 03:04:05.123456'", dt.datetime(2020, 1, 2, 3, 4, 5, 123456)),
    "Instant": (
        Instant,
        "CAST(TIMESTAMP '2020-01-02 03:04:05' AS TIMESTAMP_LTZ(6))",
        dt.datetime(2020, 1, 2, 3, 4, 5, tzinfo=dt.UTC),
    ),
    "Duration": (dt.timedelta, "INTERVAL '1.5' SECOND", dt.timedelta(seconds=1.5)),
    "Period": (Period, "INTERVAL '1-2' YEAR TO MONTH", Period(14)),
    "arrays": (list[int], "ARRAY[1, 2]", [1, 2]),
    "Map": (dict[str, int], "MAP['a', 1]", {"a": 1}),
    "case class in a list": (list[CaseClass], "ARRAY[CAST(ROW(x) AS ROW<field BIGINT>)]", [Row(field=1)]),
    "MULTISET by hint": (Annotated[dict[str, int], DataTypeHint("MULTISET<STRING>")], "CAST(NULL AS MULTISET<STRING>)", None),
    "ROW by hint": (Annotated[Row, DataTypeHint("ROW<a INT, b STRING>")], "CAST(ROW(1, 'x') AS ROW<a INT, b STRING>)", Row(a=1, b="x")),
    "DECIMAL by hint": (Annotated[Decimal, DataTypeHint("DECIMAL(5, 2)")], "1.25", Decimal("1.25")),
    "defaultDecimalPrecision": (
        Annotated[list[Decimal], DataTypeHint(default_decimal_precision=5, default_decimal_scale=2)],
        "ARRAY[CAST(1.25 AS DECIMAL(5, 2))]",
        [Decimal("1.25")],
    ),
    "defaultYearPrecision": (Annotated[Period, DataTypeHint(default_year_precision=0)], "INTERVAL '3' MONTH", Period(3)),
    "defaultSecondPrecision": (
        Annotated[dt.datetime, DataTypeHint(default_second_precision=3)],
        "TIMESTAMP '2020-01-02 03:04:05.123'",
        dt.datetime(2020, 1, 2, 3, 4, 5, 123000),
    ),
}


@pytest.mark.parametrize("row", CLASSES)
def test_flip_65_table_of_classes(row: str, planner: str, make_env: MakeEnv) -> None:
    annotation, sql, expected = CLASSES[row]
    env = make_env(planner)
    env.create_temporary_function("same", identity_of(annotation))
    assert rows(env, f"SELECT same({sql}) FROM (VALUES (1)) AS t(x)") == [(expected,)]


# --- nullability ------------------------------------------------------------------------------------------------------------------


class Skipping(ScalarFunction):
    def eval(self, x: int) -> str:
        return repr(x)


class Taking(ScalarFunction):
    def eval(self, x: int | None) -> str:
        return repr(x)


class Mixed(ScalarFunction):
    def eval(self, x: int, y: int | None) -> str:
        return f"{x} {y}"


@pytest.mark.parametrize(
    ("function", "call", "expected"),
    [
        (Skipping, "f(x)", ["1", None, "3"]),
        (Taking, "f(x)", ["1", "None", "3"]),
        (Mixed, "f(x, y)", ["1 None", None, "3 6"]),
        (Mixed, "f(y, x)", [None, "5 None", "6 3"]),
    ],
)
def test_flip_65_nullability(function: type[ScalarFunction], call: str, expected: list[Any], planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("f", function)
    values = "(VALUES (1, 1, CAST(NULL AS INT)), (2, CAST(NULL AS INT), 5), (3, 3, 6)) AS t(i, x, y)"
    assert [row[1] for row in rows(env, f"SELECT i, {call} FROM {values} ORDER BY i")] == expected
