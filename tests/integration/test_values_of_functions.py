"""Values that PyFlink converts on the way into functions and out of them, and rows that the Table API makes; the answers are those of PyFlink 2.3."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest

from table_api import DataTypes, Row, TableEnvironment, col
from table_api.expressions import array, call_sql, row
from table_api.udf import AggregateFunction, udaf, udf, udtf

MakeEnv = Callable[[str], TableEnvironment]
PRICE = DataTypes.ROW([DataTypes.FIELD("d", DataTypes.DECIMAL(5, 2)), DataTypes.FIELD("day", DataTypes.DATE())])
AFTERNOON = dt.datetime(2020, 1, 1, 17)


class Total(AggregateFunction[Decimal, Any]):
    def create_accumulator(self) -> list[Decimal]:
        return [Decimal(0)]

    def accumulate(self, accumulator: list[Decimal], text: str) -> None:
        accumulator[0] += Decimal(text)

    def get_value(self, accumulator: list[Decimal]) -> Decimal:
        return accumulator[0]


def _rows(table: Any) -> list[tuple[Any, ...]]:
    return [tuple(found) for found in table.execute().collect()]


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_decimals_and_dates_of_functions_are_rounded_to_their_type(make_env: MakeEnv, engine: str) -> None:
    scalar = udf(Decimal, result_type=DataTypes.DECIMAL(10, 2))
    nested = udf(lambda text: Row(Decimal(text), AFTERNOON), result_type=PRICE)

    def twice(text: str) -> Iterator[tuple[Decimal, dt.datetime]]:
        yield Decimal(text), AFTERNOON

    table = make_env(engine).from_elements([("1.005",), ("1.015",), ("2.675",)], ["s"])
    day = AFTERNOON.date()
    assert _rows(table.select(scalar(col("s")), nested(col("s")))) == [
        (Decimal("1.00"), Row(Decimal("1.00"), day)),
        (Decimal("1.02"), Row(Decimal("1.02"), day)),
        (Decimal("2.68"), Row(Decimal("2.68"), day)),
    ]
    split = udtf(twice, result_types=[DataTypes.DECIMAL(10, 2), DataTypes.DATE()])
    assert _rows(table.join_lateral(split(col("s")).alias("d", "day")).select(col("d"), col("day")))[0] == (Decimal("1.00"), day)
    total = udaf(Total(), result_type=DataTypes.DECIMAL(10, 2), accumulator_type=DataTypes.ARRAY(DataTypes.DECIMAL(10, 3)))
    assert _rows(table.select(total(col("s")))) == [(Decimal("4.70"),)]  # of 4.695


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_rows_of_the_table_api_have_the_names_f0_and_f1_also_in_views(make_env: MakeEnv, engine: str) -> None:
    env = make_env(engine)
    source = env.sql_query("SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t(x, s)")
    table = source.select(row(col("x"), row(col("s"), 7)).alias("r"))
    env.create_view("rows_of_api", table)
    assert _rows(env.sql_query("SELECT r.f0, r.f1.f1 FROM rows_of_api")) == [(1, 7), (2, 7)]
    assert _rows(table.select(col("r").get("f1").get("f0"), col("r").flatten)) == [("a", 1, ("a", 7)), ("b", 2, ("b", 7))]
    assert _rows(source.where(row(col("x"), col("s")) == row(2, "b"))) == [(2, "b")]
    assert [column.name for column in source.select(call_sql("1")).get_resolved_schema().columns] == ["_c0"]
    env.execute_sql("DROP VIEW rows_of_api")


@pytest.mark.parametrize("count", [2, 1_500])
@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_rows_have_names_inside_of_functions(make_env: MakeEnv, engine: str, count: int) -> None:
    table = make_env(engine).from_elements([(number, "a") for number in range(count)], ["x", "s"])
    shown = udf(lambda value: f"{value} {'x' in value} {value == (1, 'a')}", result_type="STRING")
    assert ("Row(x=1, s='a') True True",) in _rows(table.map(shown).alias("t"))
    listed = udf(str, result_type="STRING")
    assert ("[Row(f0=1)]",) in _rows(table.select(listed(array(row(col("x"))))))


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_functions_take_the_number_that_a_float_is(make_env: MakeEnv, engine: str) -> None:
    schema = DataTypes.ROW([DataTypes.FIELD("f", DataTypes.FLOAT()), DataTypes.FIELD("a", DataTypes.ARRAY(DataTypes.FLOAT()))])
    table = make_env(engine).from_elements([(1.1, [1.1]), (None, None)], schema)
    shown, same = udf(repr, result_type="STRING"), udf(lambda x: x, result_type="FLOAT")
    near = "1.100000023841858"
    assert _rows(table.select(shown(col("f")), shown(col("a")), same(col("f")))) == [(near, f"[{near}]", 1.1), ("None", "None", None)]
