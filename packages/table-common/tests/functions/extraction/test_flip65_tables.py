"""FLIP-65's tables, row by row: classes that are extracted, what is left out, structured classes, parameters of ``DataTypeHint``."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

import pytest

from table_common.data import Row
from table_common.exceptions import ValidationException
from table_common.functions import DataTypeHint, ListView, MapView, ScalarFunction, as_user_function
from table_common.types import Instant, Period
from table_common.types.extraction import extract_type

HERE = __name__


def numpy_class(name: str) -> type:
    """Stands for a class of numpy, which extraction knows by name."""
    return type(name, (), {"__module__": "numpy"})


def function_of(annotation: Any) -> ScalarFunction:
    def same(self: ScalarFunction, value: Any) -> Any:
        return value

    same.__annotations__ = {"value": annotation, "return": annotation}
    return type("Same", (ScalarFunction,), {"eval": same})()


def parameter(annotation: Any) -> str:
    return str(as_user_function(function_of(annotation)).signatures[0].parameters[0].extracted.type)


# --- the table of classes ---------------------------------------------------------------------------------------------------------


@dataclass
class CaseClass:
    name: str
    age: int


CLASSES: dict[str, tuple[Any, str]] = {
    "String": (str, "STRING"),
    "Boolean": (bool, "BOOLEAN"),
    "Byte": (numpy_class("int8"), "TINYINT"),
    "Short": (numpy_class("int16"), "SMALLINT"),
    "Integer": (numpy_class("int32"), "INT"),
    "Long": (int, "BIGINT"),
    "Float": (numpy_class("float32"), "FLOAT"),
    "Double": (float, "DOUBLE"),
    "java.sql.Date": (dt.date, "DATE"),
    "java.sql.Time": (dt.time, "TIME(6)"),
    "java.sql.Timestamp": (dt.datetime, "TIMESTAMP(6)"),
    "java.sql.Timestamp, nine digits": (numpy_class("datetime64"), "TIMESTAMP(9)"),
    "java.time.Instant": (Instant, "TIMESTAMP_LTZ(6)"),
    "java.time.Duration": (dt.timedelta, "INTERVAL SECOND(6)"),
    "java.time.Period": (Period, "INTERVAL YEAR(4) TO MONTH"),
    "arrays of the above": (list[dt.date], "ARRAY<DATE>"),
    "Map<K, V>": (dict[str, float], "MAP<STRING, DOUBLE>"),
    "Map<K, V>, read only": (Mapping[str, int], "MAP<STRING, BIGINT>"),
    "POJOs and Case classes": (CaseClass, f"STRUCTURED<'{HERE}.CaseClass', `name` STRING, `age` BIGINT>"),
}


@pytest.mark.parametrize("row", CLASSES)
def test_flip_65_table_of_classes(row: str) -> None:
    annotation, expected = CLASSES[row]
    assert parameter(annotation) == expected


def test_flip_65_table_of_classes_offset_date_time_is_what_instant_takes() -> None:
    """``OffsetDateTime``: Python has one class for dates with and without offset; ``Instant`` says which of them is meant."""
    assert parameter(Instant) != parameter(dt.datetime)


# --- what the FLIP leaves out -----------------------------------------------------------------------------------------------------


class Unknown:
    def __init__(self, *parts: object) -> None: ...


LEFT_OUT: dict[str, tuple[Any, str]] = {
    "MULTISET": (Counter, "DataTypeHint('MULTISET<STRING>')"),
    "ROW": (Row, "DataTypeHint('ROW<a INT, b STRING>')"),
    "ROW as a tuple": (tuple[int, str], "DataTypeHint('ROW<a INT, b STRING>')"),
    "DECIMAL": (Decimal, "DataTypeHint('DECIMAL(10, 2)')"),
    "ANY": (Unknown, "DataTypeHint('RAW')"),
    "Object": (object, "DataTypeHint(take_arbitrary_input=True)"),
    "several types": (int | str, "@overload"),
}


@pytest.mark.parametrize("row", LEFT_OUT)
def test_flip_65_excluded_type_shows_the_hint_to_write(row: str) -> None:
    annotation, hint = LEFT_OUT[row]
    with pytest.raises(ValidationException) as error:
        as_user_function(function_of(annotation))
    assert hint in (error.value.hint or "")


def test_flip_65_excluded_null_is_no_parameter() -> None:
    with pytest.raises(ValidationException):
        as_user_function(function_of(type(None)))


# --- structured types -------------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("class_", [PublicField, GetterAndSetter, Immutable])
def test_flip_65_test_pojo(class_: type) -> None:
    assert parameter(class_) == f"STRUCTURED<'{HERE}.{class_.__name__}', `field` BIGINT>"


class Pair(NamedTuple):
    a: int
    b: str


@dataclass
class OneFieldOfMany:
    plain: int
    amount: Annotated[Decimal, DataTypeHint("DECIMAL(9, 3)")]


def test_flip_65_one_field_gets_a_hint_and_the_others_are_extracted() -> None:
    assert parameter(OneFieldOfMany).endswith("`plain` BIGINT, `amount` DECIMAL(9, 3)>")


@pytest.mark.parametrize(("view", "inside"), [(ListView[int], "`list` ARRAY<BIGINT>"), (MapView[str, int], "`map` MAP<STRING, BIGINT>")])
def test_flip_65_views_of_accumulators(view: Any, inside: str) -> None:
    assert str(extract_type(view, "x").type).endswith(f"View', {inside}>")


# --- DataTypeHint: three responsibilities, and the table of its parameters --------------------------------------------------------


def test_flip_65_hint_of_a_logical_type() -> None:
    assert parameter(Annotated[int, DataTypeHint("INT")]) == "INT"


def test_flip_65_hint_of_a_data_type_with_another_conversion() -> None:
    found = extract_type(Annotated[Any, DataTypeHint("TIMESTAMP(3)", bridged_to=numpy_class("datetime64"))], "x")
    assert (str(found.type), found.conversion and found.conversion.__name__) == ("TIMESTAMP(3)", "datetime64")


def test_flip_65_hint_that_only_parameterizes() -> None:
    assert parameter(Annotated[Unknown, DataTypeHint(version=1, allow_raw_globally=True)]) == f"RAW('{HERE}.Unknown', 'pickle')"


@dataclass
class Holding:
    unknown: Unknown
    pair: Pair


def test_flip_65_parameter_version() -> None:
    with pytest.raises(ValidationException, match="does not know version 2"):
        DataTypeHint(version=2)


RAW_UNKNOWN = f"RAW('{HERE}.Unknown', 'pickle')"
RAW_PAIR = f"RAW('{HERE}.Pair', 'pickle')"
PAIR = f"STRUCTURED<'{HERE}.Pair', `a` BIGINT, `b` STRING>"
PARAMETERS: dict[str, tuple[Any, str]] = {
    "allowAnyGlobally": (
        Annotated[Holding, DataTypeHint(allow_raw_globally=True)],
        f"STRUCTURED<'{HERE}.Holding', `unknown` {RAW_UNKNOWN}, `pair` {PAIR}>",
    ),
    "allowAnyPattern": (
        Annotated[Holding, DataTypeHint(allow_raw_pattern=[f"{HERE}.Un"])],
        f"STRUCTURED<'{HERE}.Holding', `unknown` {RAW_UNKNOWN}, `pair` {PAIR}>",
    ),
    "forceAnyPattern": (
        Annotated[Holding, DataTypeHint(force_raw_pattern=[f"{HERE}.Pair", f"{HERE}.Unknown"])],
        f"STRUCTURED<'{HERE}.Holding', `unknown` {RAW_UNKNOWN}, `pair` {RAW_PAIR}>",
    ),
    "defaultDecimalPrecision": (Annotated[Decimal, DataTypeHint(default_decimal_precision=7)], "DECIMAL(7, 0)"),
    "defaultDecimalScale": (
        Annotated[list[Decimal], DataTypeHint(default_decimal_precision=7, default_decimal_scale=2)],
        "ARRAY<DECIMAL(7, 2)>",
    ),
    "defaultYearPrecision": (Annotated[Period, DataTypeHint(default_year_precision=2)], "INTERVAL YEAR(2) TO MONTH"),
    "defaultYearPrecision 0": (Annotated[Period, DataTypeHint(default_year_precision=0)], "INTERVAL MONTH"),
    "defaultSecondPrecision": (
        Annotated[dict[dt.time, dt.datetime], DataTypeHint(default_second_precision=3)],
        "MAP<TIME(3), TIMESTAMP(3)>",
    ),
    "defaultSecondPrecision of intervals": (Annotated[dt.timedelta, DataTypeHint(default_second_precision=0)], "INTERVAL SECOND(0)"),
    "takeArbitraryInput": (Annotated[Any, DataTypeHint(take_arbitrary_input=True)], "None"),
}


@pytest.mark.parametrize("row", PARAMETERS)
def test_flip_65_table_of_parameters(row: str) -> None:
    annotation, expected = PARAMETERS[row]
    # Arbitrary input is for parameters alone, so the result is not the same.
    function = function_of(annotation)
    type(function).eval.__annotations__["return"] = int  # type: ignore[attr-defined]
    assert str(as_user_function(function).signatures[0].parameters[0].extracted.type) == expected


def test_flip_65_pattern_is_a_list() -> None:
    with pytest.raises(ValidationException, match="takes a list for force_raw_pattern") as error:
        parameter(Annotated[Holding, DataTypeHint(force_raw_pattern="module.")])  # type: ignore[arg-type]
    assert error.value.hint == "force_raw_pattern=['module.']"


@DataTypeHint(default_decimal_precision=10, default_decimal_scale=2)
@dataclass
class Hinted:
    outer: Decimal
    inner: Annotated[list[Decimal], DataTypeHint(default_decimal_precision=5)]


def test_flip_65_hint_of_a_class_is_inherited_by_its_fields_and_the_innermost_wins() -> None:
    assert parameter(Hinted).endswith("`outer` DECIMAL(10, 2), `inner` ARRAY<DECIMAL(5, 2)>>")


@DataTypeHint("RAW")
class RawByHint:
    pass


def test_flip_65_hint_of_a_class_says_its_type() -> None:
    assert parameter(RawByHint) == f"RAW('{HERE}.RawByHint', 'pickle')"


@dataclass
class User:
    """The FLIP's ``org.mycompany.User``: many fields, of which some are of classes of another library."""

    name: str
    born: Unknown
    seen: Unknown


def test_flip_65_force_raw_for_the_classes_of_one_library() -> None:
    found = parameter(Annotated[User, DataTypeHint(version=1, force_raw_pattern=[f"{HERE}.Unknown"])])
    assert found == f"STRUCTURED<'{HERE}.User', `name` STRING, `born` {RAW_UNKNOWN}, `seen` {RAW_UNKNOWN}>"
