"""``from_elements`` with many rows creates Arrow data, with the same types, values and errors as the constants of few rows."""

from __future__ import annotations

import datetime
from collections import namedtuple
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from table_api import DataTypes, Row, TableEnvironment
from table_api.expressions import lit
from table_api.python_data import python_values
from table_common.exceptions import ValidationException

UTC = datetime.UTC
MOMENT = datetime.datetime(2024, 2, 28, 1, 2, 3, 456789)
Named = namedtuple("Named", "a b")

VALUES: dict[str, tuple[Any, list[Any]]] = {
    "boolean": (DataTypes.BOOLEAN(), [True, None, False]),
    "tinyint": (DataTypes.TINYINT(), [-128, 127]),
    "bigint": (DataTypes.BIGINT(), [-(2**63), 2**63 - 1]),
    "float": (DataTypes.FLOAT(), [1.5, 2, float("inf")]),
    "double": (DataTypes.DOUBLE(), [0.1, 3, float("-inf")]),
    "decimal": (DataTypes.DECIMAL(6, 2), [Decimal("1.5"), 7, Decimal("-9999.99")]),
    "char": (DataTypes.CHAR(3), ["abc", "é"]),
    "varchar": (DataTypes.VARCHAR(3), ["abc", ""]),
    "bytes": (DataTypes.BYTES(), [b"\x00\xff", bytearray(b"a")]),
    "date": (DataTypes.DATE(), [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]),
    "time": (DataTypes.TIME(6), [datetime.time(23, 59, 59, 999999)]),
    "timestamp": (DataTypes.TIMESTAMP(6), [MOMENT, MOMENT.replace(year=1)]),
    "timestamp of seconds": (DataTypes.TIMESTAMP(0), [MOMENT]),
    "instant": (DataTypes.TIMESTAMP_LTZ(3), [MOMENT.replace(tzinfo=UTC), MOMENT.replace(year=1900, tzinfo=UTC)]),
    "interval": (DataTypes.INTERVAL(DataTypes.SECOND(3)), [datetime.timedelta(days=-2, microseconds=1000)]),
    "array": (DataTypes.ARRAY(DataTypes.INT()), [[1, None], [], (2,), None]),
    "map": (DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()), [{"a": 1, "b": None}, {}, None]),
    "row": (
        DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT()), DataTypes.FIELD("y", DataTypes.STRING())]),
        [(1, "a"), Row(y="b", x=2), {"x": 3}, None, Row(4, None)],
    ),
    "rows in arrays": (DataTypes.ARRAY(DataTypes.ROW([DataTypes.FIELD("x", DataTypes.DATE())])), [[(datetime.date(2024, 1, 1),)], []]),
}


@pytest.fixture(params=["arrow", "spark"])
def env(request: pytest.FixtureRequest, make_env: Callable[[str], TableEnvironment]) -> TableEnvironment:
    return make_env(request.param)


def _made(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch, most: int, *arguments: Any) -> Any:
    with monkeypatch.context() as patch:
        patch.setattr(python_values, "MOST_CONSTANTS", most)
        return env.from_elements(*arguments)


@pytest.mark.parametrize("name", VALUES)
def test_many_rows_have_the_values_of_few_rows(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    data_type, values = VALUES[name]
    rows = [(number, value) for number, value in enumerate(values)]
    schema = DataTypes.ROW([DataTypes.FIELD("n", DataTypes.INT()), DataTypes.FIELD("v", data_type)])
    few, many = (_made(env, monkeypatch, most, rows, schema) for most in (1_000_000, 0))
    assert type(few.query_operation) is not type(many.query_operation)
    assert many.to_arrow().sort_by("n").equals(few.to_arrow().sort_by("n"))


def test_many_rows_have_the_types_that_few_rows_have(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [Row(a=1, b=MOMENT, c=[1, 2]), Row(a=2.5, b=None, c=[3.5]), Row(a=None, b=MOMENT, c=None)]
    few, many = (_made(env, monkeypatch, most, rows).get_resolved_schema() for most in (1_000_000, 0))
    assert many == few


@pytest.mark.parametrize(
    ("values", "data_type", "message"),
    [
        ([1, 2, "x"], DataTypes.INT(), "The str 'x' cannot be a literal of type INT"),
        ([1, 2, 300], DataTypes.TINYINT(), "The int 300 cannot be a literal of type TINYINT"),
        (["abcd"], DataTypes.VARCHAR(3), "cannot be a literal of type VARCHAR"),
        ([True], DataTypes.INT(), "The bool True cannot be a literal of type INT"),
        ([object()], DataTypes.STRING(), "The object <object object .* cannot be a literal of type STRING"),
        ([{"z": 1}], DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT())]), "Column 'z' does not exist in the type ROW"),
    ],
)
def test_a_value_among_many_that_does_not_fit_is_refused(env: Any, monkeypatch: Any, values: Any, data_type: Any, message: str) -> None:
    schema = DataTypes.ROW([DataTypes.FIELD("v", data_type)])
    for most in (1_000_000, 0):
        with pytest.raises(ValidationException, match=message):
            _made(env, monkeypatch, most, [(value,) for value in values], schema)


def test_values_among_many_are_cast_if_nothing_is_verified(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = DataTypes.ROW([DataTypes.FIELD("v", DataTypes.STRING())])
    table = _made(env, monkeypatch, 0, [(1,), ("a",)], schema, False)
    assert table.to_arrow().to_pylist() == [{"v": "1"}, {"v": "a"}]


def test_expressions_among_many_values_are_computed(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = DataTypes.ROW([DataTypes.FIELD("v", DataTypes.INT())])
    table = _made(env, monkeypatch, 0, [(1,), (lit(1) + lit(1),)], schema)
    assert table.to_arrow().to_pylist() == [{"v": 1}, {"v": 2}]


def test_named_tuples_in_many_rows_are_matched_by_name(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    table = _made(env, monkeypatch, 0, [Named(1, "x"), Named(2, "y")], ["b", "a"])
    assert table.to_arrow().to_pylist() == [{"b": "x", "a": 1}, {"b": "y", "a": 2}]


def test_many_rows_are_in_process_data(env: Any) -> None:
    table = env.from_elements([(number, "a") for number in range(1_000)], ["x", "y"])
    with pytest.raises(ValidationException, match="from Python values"):
        env.create_view("rows_of_python", table)
    env.create_temporary_view("in_memory", table)
    assert [tuple(row) for row in env.execute_sql("SELECT COUNT(*), SUM(x) FROM in_memory").collect()] == [(1_000, 499_500)]
