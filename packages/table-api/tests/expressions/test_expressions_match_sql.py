"""What Python writes and what SQL writes resolve to the same."""

from __future__ import annotations

import pytest

from table_api.delegation import Session
from table_api.expressions import (
    Expression,
    JsonValueOnEmptyOrError,
    TimeIntervalUnit,
    TimePointUnit,
    and_,
    array,
    call,
    coalesce,
    col,
    concat,
    concat_ws,
    current_date,
    if_then_else,
    lit,
    local_timestamp,
    log,
    map_,
    not_,
    or_,
    pi,
    row,
    timestamp_diff,
    to_date,
    to_timestamp,
)
from table_api.resolution.operation_builder import OperationBuilder
from table_api.sql.parser import parse_expression
from table_common.types import DataTypes

AGE, NAME, PAY = col("age"), col("name"), col("pay")


@pytest.mark.parametrize(
    ("expression", "sql"),
    [
        (AGE + 1, "age + 1"),
        (1 - AGE, "1 - age"),
        (AGE * PAY, "age * pay"),
        (NAME + "!", "CONCAT(name, '!')"),
        ("Mr. " + NAME, "CONCAT('Mr. ', name)"),
        (NAME + AGE, "CONCAT(name, CAST(age AS STRING))"),
        (AGE / 2, "age / 2"),
        (AGE % 2, "MOD(age, 2)"),
        (AGE**2, "POWER(age, 2)"),
        (-AGE, "-age"),
        (AGE == 1, "age = 1"),
        (AGE != 1, "age <> 1"),
        (AGE < 1, "age < 1"),
        (AGE >= 1, "age >= 1"),
        ((AGE > 1) & (NAME == "x"), "age > 1 AND name = 'x'"),
        ((AGE > 1) | (NAME == "x"), "age > 1 OR name = 'x'"),
        (~(AGE > 1), "(age > 1) IS NOT TRUE"),
        (not_(AGE > 1), "NOT age > 1"),
        (and_(AGE > 1, AGE < 5, NAME == "x"), "age > 1 AND age < 5 AND name = 'x'"),
        (or_(AGE > 1, AGE < 5, NAME == "x"), "age > 1 OR age < 5 OR name = 'x'"),
        (AGE.between(1, 2), "age BETWEEN 1 AND 2"),
        (AGE.not_between(1, 2), "age NOT BETWEEN 1 AND 2"),
        (AGE.in_(1, 2, 3), "age IN (1, 2, 3)"),
        (AGE.is_null, "age IS NULL"),
        (AGE.is_not_null, "age IS NOT NULL"),
        (NAME.like("a%"), "name LIKE 'a%'"),
        (NAME.like("a!%", "!"), "name LIKE 'a!%' ESCAPE '!'"),
        (NAME.upper_case, "UPPER(name)"),
        (NAME.char_length, "CHAR_LENGTH(name)"),
        (NAME.substring(1, 2), "SUBSTRING(name, 1, 2)"),
        (NAME.trim(), "TRIM(name)"),
        (NAME.trim_leading("x"), "TRIM(LEADING 'x' FROM name)"),
        (NAME.ltrim(), "LTRIM(name)"),
        (NAME.position(lit("abc")), "POSITION(name IN 'abc')"),
        (NAME.overlay("x", 2, 1), "OVERLAY(name PLACING 'x' FROM 2 FOR 1)"),
        (NAME.lpad(5, "x"), "LPAD(name, 5, 'x')"),
        (NAME.split_index(",", 0), "SPLIT_INDEX(name, ',', 0)"),
        (NAME.sha2(256), "SHA2(name, 256)"),
        (NAME.cast(DataTypes.INT()), "CAST(name AS INT)"),
        (NAME.try_cast(DataTypes.DATE()), "TRY_CAST(name AS DATE)"),
        (AGE.if_null(0), "IFNULL(age, 0)"),
        (if_then_else(AGE > 1, "a", "bc"), "CASE WHEN age > 1 THEN 'a' ELSE 'bc' END"),
        ((AGE > 1).then(1, 2), "CASE WHEN age > 1 THEN 1 ELSE 2 END"),
        (coalesce(AGE, 0), "COALESCE(age, 0)"),
        (AGE.abs, "ABS(age)"),
        (PAY.round(1), "ROUND(pay, 1)"),
        (PAY.floor(), "FLOOR(pay)"),
        (AGE.log(2), "LOG(2, age)"),
        (log(AGE), "LOG(age)"),
        (pi(), "PI()"),
        (to_date(NAME).extract(TimeIntervalUnit.YEAR), "EXTRACT(YEAR FROM TO_DATE(name))"),
        (to_timestamp(NAME).floor(TimeIntervalUnit.DAY), "FLOOR(TO_TIMESTAMP(name) TO DAY)"),
        (
            timestamp_diff(TimePointUnit.HOUR, local_timestamp(), to_timestamp(NAME)),
            "TIMESTAMPDIFF(HOUR, LOCALTIMESTAMP, TO_TIMESTAMP(name))",
        ),
        (current_date(), "CURRENT_DATE"),
        (concat(NAME, "x", NAME), "CONCAT(name, 'x', name)"),
        (concat_ws("-", NAME, "x"), "CONCAT_WS('-', name, 'x')"),
        (array(1, 2, 3), "ARRAY[1, 2, 3]"),
        (array(1, 2)[1], "ARRAY[1, 2][1]"),
        (map_("a", 1), "MAP['a', 1]"),
        (row(1, "a"), "ROW(1, 'a')"),
        (col("r").get("x"), "r.x"),
        (col("r").x, "r.x"),
        (array(1, 2).cardinality, "CARDINALITY(ARRAY[1, 2])"),
        (array(1, 2).array_contains(1), "ARRAY_CONTAINS(ARRAY[1, 2], 1)"),
        (call("upper", NAME), "UPPER(name)"),
        (
            NAME.json_value("$.a", DataTypes.INT(), JsonValueOnEmptyOrError.ERROR),
            "JSON_VALUE(name, '$.a' RETURNING INT ERROR ON EMPTY)",
        ),
        (NAME.json_value("$.a"), "JSON_VALUE(name, '$.a')"),
        (NAME.json_query("$.a"), "JSON_QUERY(name, '$.a')"),
        (NAME.is_json(), "name IS JSON"),
        (AGE.sum, "SUM(age)"),
        (AGE.count.distinct, "COUNT(DISTINCT age)"),
        (NAME.list_agg("-"), "LISTAGG(name, '-')"),
        (AGE.avg + 1, "AVG(age) + 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_expression_resolves_as_its_sql_does(session: Session, expression: Expression, sql: str) -> None:
    builder = OperationBuilder(session)
    table = builder.from_path(("t",))
    assert builder.project(table, [expression.alias("c").unresolved]) == builder.project(
        table, [Expression(parse_expression(sql)).alias("c").unresolved]
    )
