"""FLIP-65's table of classes, one test per row, and what it excludes."""

from __future__ import annotations

import collections
import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

import pytest

from table_common.data import Row
from table_common.exceptions import ValidationException
from table_common.functions import DataTypeHint
from table_common.types import Instant, Period
from table_common.types.extraction import ExtractionOptions, extract_type


def text(annotation: Any, **options: Any) -> str:
    return str(extract_type(annotation, "x", ExtractionOptions(**options)).type)


ROWS = {
    "string": (str, "STRING"),
    "boolean": (bool, "BOOLEAN"),
    "long": (int, "BIGINT"),
    "double": (float, "DOUBLE"),
    "bytes": (bytes, "BYTES"),
    "sql_date": (dt.date, "DATE"),
    "sql_time": (dt.time, "TIME(6)"),
    "sql_timestamp": (dt.datetime, "TIMESTAMP(6)"),
    "instant": (Instant, "TIMESTAMP_LTZ(6)"),
    "duration": (dt.timedelta, "INTERVAL SECOND(6)"),
    "period": (Period, "INTERVAL YEAR(4) TO MONTH"),
    "arrays_of_the_above": (list[int], "ARRAY<BIGINT>"),
    "tuples_are_arrays_too": (tuple[str, ...], "ARRAY<STRING>"),
    "map": (dict[str, list[float]], "MAP<STRING, ARRAY<DOUBLE>>"),
    "mapping": (Mapping[str, int], "MAP<STRING, BIGINT>"),
}


@pytest.mark.parametrize("row", ROWS)
def test_flip_65_table_of_classes(row: str) -> None:
    annotation, expected = ROWS[row]
    assert text(annotation) == expected


NUMPY = {
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INT",
    "int64": "BIGINT",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "bool_": "BOOLEAN",
    "datetime64": "TIMESTAMP(9)",
    "timedelta64": "INTERVAL SECOND(9)",
}


@pytest.mark.parametrize("name", NUMPY)
def test_numpy_scalars_are_known_by_name(name: str) -> None:
    assert text(type(name, (), {"__module__": "numpy"})) == NUMPY[name]


@pytest.mark.parametrize(
    ("annotation", "hint"),
    [
        (Decimal, "DECIMAL(10, 2)"),
        (Row, "ROW<a INT, b STRING>"),
        (set, "MULTISET"),
        (collections.Counter, "MULTISET"),
        (Any, "take_arbitrary_input"),
        (object, "take_arbitrary_input"),
        (list, "list[int]"),
        (dict, "dict[str, int]"),
        (int | str, "overload"),
        (tuple[int, str], "ROW<a INT, b STRING>"),
    ],
)
def test_what_flip_65_excludes_is_refused_with_the_hint_to_write(annotation: Any, hint: str) -> None:
    with pytest.raises(ValidationException) as error:
        text(annotation)
    assert hint in (error.value.hint or "")


def test_none_is_accepted_only_if_the_annotation_allows_it() -> None:
    assert extract_type(int | None, "x").accepts_none
    assert not extract_type(int, "x").accepts_none


# --- structured types ------------------------------------------------------------------------------------------------------------


class PublicField:
    field: int


class Accessors:
    def __init__(self) -> None:
        self._field = 0

    @property
    def field(self) -> int:
        return self._field

    @field.setter
    def field(self, value: int) -> None:
        self._field = value


class Immutable:
    def __init__(self, field: int) -> None:
        self._field = field

    @property
    def field(self) -> int:
        return self._field


@dataclass
class Address:
    street: str
    number: int


@dataclass
class Person:
    name: str
    home: Address
    tags: list[str]


class Pair(NamedTuple):
    b: int
    a: str


class Constructed:
    """Declared in one order, constructed in another."""

    b: int
    a: str

    def __init__(self, a: str, b: int) -> None:
        self.a, self.b = a, b


class Parent:
    z: int


class Child(Parent):
    a: str


class Incomplete:
    a: int
    b: int

    def __init__(self, a: int) -> None:
        self.a = a


@dataclass
class Loop:
    inside: list[Loop]


STRUCTURED = {
    "flip_65_public_field": (PublicField, "`field` BIGINT"),
    "flip_65_getter_and_setter": (Accessors, "`field` BIGINT"),
    "flip_65_immutable_with_constructor": (Immutable, "`field` BIGINT"),
    "named_tuple_in_declared_order": (Pair, "`b` BIGINT, `a` STRING"),
    "constructor_gives_the_order": (Constructed, "`a` STRING, `b` BIGINT"),
    "bases_first": (Child, "`z` BIGINT, `a` STRING"),
}


@pytest.mark.parametrize("case", STRUCTURED)
def test_structured_class(case: str) -> None:
    class_, fields = STRUCTURED[case]
    assert text(class_) == f"STRUCTURED<'{__name__}.{class_.__qualname__}', {fields}>"


@pytest.mark.parametrize("class_", [PublicField, Accessors, Immutable])
def test_objects_are_made_of_the_fields(class_: type[Any]) -> None:
    (found,) = extract_type(class_, "x").classes
    assert found.factory()([7]).field == 7


def test_structured_classes_nest() -> None:
    assert "`home` STRUCTURED<" in text(Person)
    assert [found.class_ for found in extract_type(Person, "x").classes] == [Address, Person]


def test_constructor_that_leaves_a_field_out_is_refused() -> None:
    with pytest.raises(ValidationException, match="does not take b"):
        text(Incomplete)


def test_recursion_is_refused() -> None:
    with pytest.raises(ValidationException, match="Loop → Loop"):
        text(Loop)


# --- DataTypeHint's parameters ----------------------------------------------------------------------------------------------------


class Unmapped:
    def __init__(self, *things: object) -> None:
        self.things = things


@dataclass
class Holder:
    name: str
    thing: Unmapped


@DataTypeHint(default_decimal_precision=9, default_decimal_scale=3)
@dataclass
class Money:
    amount: Decimal
    tax: Annotated[Decimal, DataTypeHint(default_decimal_precision=5)]


def test_flip_65_version_unknown_is_an_error() -> None:
    with pytest.raises(ValidationException, match="version 7"):
        DataTypeHint(version=7)


def test_flip_65_allow_raw_globally() -> None:
    assert text(Annotated[Unmapped, DataTypeHint(allow_raw_globally=True)]) == f"RAW('{__name__}.Unmapped', 'pickle')"


def test_unmapped_class_is_refused_by_default() -> None:
    with pytest.raises(ValidationException, match="Unmapped"):
        text(Unmapped)


def test_flip_65_allow_raw_pattern_holds_for_nested_fields() -> None:
    assert "`thing` RAW" in text(Annotated[Holder, DataTypeHint(allow_raw_pattern=[__name__])])


def test_flip_65_force_raw_pattern_without_the_global_flag() -> None:
    annotation = Annotated[Person, DataTypeHint(version=1, force_raw_pattern=[f"{__name__}.Address"])]
    assert f"`home` RAW('{__name__}.Address', 'pickle')" in text(annotation)


def test_flip_65_default_decimal_precision_and_scale() -> None:
    assert text(Annotated[Decimal, DataTypeHint(default_decimal_precision=12, default_decimal_scale=4)]) == "DECIMAL(12, 4)"


def test_hint_on_a_class_reaches_its_fields_and_the_innermost_wins() -> None:
    assert text(Money).endswith("`amount` DECIMAL(9, 3), `tax` DECIMAL(5, 3)>")


def test_flip_65_default_year_precision_zero_is_months() -> None:
    assert text(Annotated[Period, DataTypeHint(default_year_precision=0)]) == "INTERVAL MONTH"


def test_flip_65_default_second_precision() -> None:
    assert text(Annotated[list[dt.datetime], DataTypeHint(default_second_precision=3)]) == "ARRAY<TIMESTAMP(3)>"


def test_flip_65_take_arbitrary_input() -> None:
    assert extract_type(Annotated[Any, DataTypeHint(take_arbitrary_input=True)], "x").type is None


def test_flip_65_hint_of_a_decimal_parameter() -> None:
    assert text(Annotated[Decimal, DataTypeHint("DECIMAL(5, 2)")]) == "DECIMAL(5, 2)"


def test_flip_65_any_parses_as_raw() -> None:
    assert text(Annotated[Unmapped, DataTypeHint("ANY")]) == f"RAW('{__name__}.Unmapped', 'pickle')"


def test_hint_that_is_no_type_is_refused() -> None:
    with pytest.raises(ValidationException, match="hint of x is not a type"):
        text(Annotated[int, DataTypeHint("INTEGR")])
