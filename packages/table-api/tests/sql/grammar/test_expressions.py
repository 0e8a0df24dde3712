"""How operators bind: every expression is shown with a parenthesis around each call."""

from __future__ import annotations

import pytest

from table_api.expressions.unresolved import Call, Literal, Reference, Subquery, Symbol, TypeLiteral
from table_api.sql.parser import parse_expression
from table_common.functions import FunctionDefinition


def shown(node: object) -> str:
    match node:
        case Call():
            name = node.function.name if isinstance(node.function, FunctionDefinition) else ".".join(node.function)
            return f"{name}({', '.join(map(shown, node.args))})"
        case Reference():
            return ".".join(node.path)
        case Literal():
            return repr(node.value)
        case Symbol():
            return node.name
        case TypeLiteral():
            return str(node.type)
        case Subquery():
            operand = f"{shown(node.operand)}, " if node.operand is not None else ""
            return f"{node.kind.value}({operand}…)"
    return repr(node)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a + b * c", "PLUS(a, TIMES(b, c))"),
        ("(a + b) * c", "TIMES(PLUS(a, b), c)"),
        ("a - b - c", "MINUS(MINUS(a, b), c)"),
        ("a || b + c", "PLUS(CONCAT_OP(a, b), c)"),
        ("a * b || c", "CONCAT_OP(TIMES(a, b), c)"),
        ("-a * b", "TIMES(NEGATE(a), b)"),
        ("- - a", "NEGATE(NEGATE(a))"),
        ("+a", "a"),
        ("-1", "-1"),
        ("- -1", "NEGATE(-1)"),
        ("-2147483648", "-2147483648"),
        ("-x[1]", "NEGATE(AT(x, 1))"),
        ("a % 2 = 0", "EQUALS(MOD(a, 2), 0)"),
        ("a = b = c", "EQUALS(EQUALS(a, b), c)"),
        ("a != b", "NOT_EQUALS(a, b)"),
        ("a = b IS NULL", "IS_NULL(EQUALS(a, b))"),
        ("a IS NOT TRUE", "IS_NOT_TRUE(a)"),
        ("a IS UNKNOWN", "IS_NULL(a)"),
        ("a IS NOT UNKNOWN", "IS_NOT_NULL(a)"),
        ("a IS NOT DISTINCT FROM b + 1", "IS_NOT_DISTINCT_FROM(a, PLUS(b, 1))"),
        ("NOT a = b", "NOT(EQUALS(a, b))"),
        ("NOT a IS NULL", "NOT(IS_NULL(a))"),
        ("NOT NOT a", "NOT(NOT(a))"),
        ("NOT a AND b", "AND(NOT(a), b)"),
        ("a = NOT b", "EQUALS(a, NOT(b))"),
        ("a OR b AND c OR d", "OR(a, AND(b, c), d)"),
        ("a AND b AND c AND d", "AND(a, b, c, d)"),
        ("a BETWEEN 1 AND 2 AND b", "AND(BETWEEN(a, 1, 2), b)"),
        ("a NOT BETWEEN 1 + 1 AND 2", "NOT_BETWEEN(a, PLUS(1, 1), 2)"),
        ("a BETWEEN SYMMETRIC 2 AND 1", "OR(BETWEEN(a, 2, 1), BETWEEN(a, 1, 2))"),
        ("a = b LIKE c", "EQUALS(a, LIKE(b, c))"),
        ("a NOT LIKE 'x' ESCAPE '!'", "NOT_LIKE(a, 'x', '!')"),
        ("a SIMILAR TO b", "SIMILAR(a, b)"),
        ("a ILIKE 'X%'", "LIKE(LOWER(a), LOWER('X%'))"),
        ("a IN (1, 2)", "IN(a, 1, 2)"),
        ("a NOT IN (1)", "NOT_IN(a, 1)"),
        ("a + 1 IN (1, 2) OR b", "OR(IN(PLUS(a, 1), 1, 2), b)"),
        ("(a, b) IN ((1, 2), (3, 4))", "IN(ROW(a, b), ROW(1, 2), ROW(3, 4))"),
        ("a IN (SELECT 1)", "IN(a, …)"),
        ("a NOT IN ((SELECT 1) UNION (SELECT 2))", "NOT IN(a, …)"),
        ("a > ALL (SELECT 1)", "ALL(a, …)"),
        ("a = SOME (1, 2)", "OR(EQUALS(a, 1), EQUALS(a, 2))"),
        ("EXISTS (SELECT 1)", "EXISTS(…)"),
        ("(SELECT 1) + 1", "PLUS(SCALAR(…), 1)"),
        ("((SELECT 1) UNION SELECT 2)", "SCALAR(…)"),
        ("a::INT + 1", "PLUS(CAST(a, INT), 1)"),
        ("a[1][2].x", "GET(AT(AT(a, 1), 2), 'x')"),
        ("f(a).b.c", "GET(GET(f(a), 'b'), 'c')"),
        ("a.b.c", "a.b.c"),
        ("(a)", "a"),
        ("(a, b)", "ROW(a, b)"),
        ("ROW(a)", "ROW(a)"),
        ("ARRAY[1, 2][1]", "AT(ARRAY(1, 2), 1)"),
        ("MAP['a', 1]", "MAP('a', 1)"),
        ("CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END", "CASE(a, 1, b, 2, 3)"),
        ("CASE WHEN a THEN 1 END", "CASE(a, 1, None)"),
        ("CASE x WHEN 1 THEN 'a' WHEN 2, 3 THEN 'b' END", "CASE(EQUALS(x, 1), 'a', OR(EQUALS(x, 2), EQUALS(x, 3)), 'b', None)"),
        ("(a, b) OVERLAPS (c, d)", "OVERLAPS(a, b, c, d)"),
        ("(a - b) DAY", "MINUS_DATETIME(a, b, DAY)"),
        ("a IS JSON", "IS_JSON(a, VALUE)"),
        ("a IS NOT JSON ARRAY", "NOT(IS_JSON(a, ARRAY))"),
    ],
)
def test_operators_bind_as_in_flink(text: str, tree: str) -> None:
    assert shown(parse_expression(text)) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("CAST(a AS DECIMAL(10, 2))", "CAST(a, DECIMAL(10, 2))"),
        ("TRY_CAST(a AS ROW<x INT NOT NULL>)", "TRY_CAST(a, ROW<`x` INT NOT NULL>)"),
        ("CAST(a AS INTERVAL DAY TO SECOND)", "CAST(a, INTERVAL SECOND(3))"),
        ("EXTRACT(YEAR FROM a)", "EXTRACT(YEAR, a)"),
        ("CEIL(a)", "CEIL(a)"),
        ("CEILING(a TO MONTH)", "CEIL(a, MONTH)"),
        ("FLOOR(a TO DAY)", "FLOOR(a, DAY)"),
        ("POSITION('a' IN b)", "POSITION('a', b)"),
        ("OVERLAY(a PLACING b FROM 1 FOR 2)", "OVERLAY(a, b, 1, 2)"),
        ("SUBSTRING(a FROM 1 FOR 2)", "SUBSTRING(a, 1, 2)"),
        ("SUBSTRING(a, 1)", "SUBSTRING(a, 1)"),
        ("TRIM(a)", "TRIM(BOTH, ' ', a)"),
        ("TRIM(LEADING FROM a)", "TRIM(LEADING, ' ', a)"),
        ("TRIM(TRAILING 'x' FROM a)", "TRIM(TRAILING, 'x', a)"),
        ("TIMESTAMPADD(SQL_TSI_HOUR, 1, a)", "TIMESTAMPADD(HOUR, 1, a)"),
        ("TIMESTAMPDIFF(DAYS, a, b)", "TIMESTAMPDIFF(DAY, a, b)"),
        ("CURRENT_DATE", "CURRENT_DATE()"),
        ("CURRENT_TIMESTAMP()", "CURRENT_TIMESTAMP()"),
        ("LEFT(a, 1)", "LEFT(a, 1)"),
        ("cat.db.f(a)", "cat.db.f(a)"),
        ("JSON_EXISTS(a, '$' TRUE ON ERROR)", "JSON_EXISTS(a, '$', TRUE)"),
        ("JSON_VALUE(a, '$')", "JSON_VALUE(a, '$')"),
        ("JSON_VALUE(a, '$' RETURNING INT DEFAULT 1 ON EMPTY)", "JSON_VALUE(a, '$', INT, DEFAULT, 1, NULL, None)"),
        ("JSON_VALUE(a, '$' NULL ON EMPTY ERROR ON ERROR)", "JSON_VALUE(a, '$', STRING, NULL, None, ERROR, None)"),
        (
            "JSON_QUERY(a, '$' WITH CONDITIONAL ARRAY WRAPPER EMPTY ARRAY ON EMPTY)",
            "JSON_QUERY(a, '$', STRING, CONDITIONAL_ARRAY, EMPTY_ARRAY, NULL)",
        ),
        ("JSON_OBJECT('a' : 1, KEY 'b' VALUE 2 ABSENT ON NULL)", "JSON_OBJECT(ABSENT_ON_NULL, 'a', 1, 'b', 2)"),
        ("JSON_OBJECT()", "JSON_OBJECT(NULL_ON_NULL)"),
        ("JSON_ARRAY(1, NULL NULL ON NULL)", "JSON_ARRAY(NULL_ON_NULL, 1, None)"),
        ("JSON_OBJECTAGG(KEY a VALUE b)", "JSON_OBJECTAGG_NULL_ON_NULL(a, b)"),
        ("JSON_ARRAYAGG(a)", "JSON_ARRAYAGG_ABSENT_ON_NULL(a)"),
        ("INTERVAL 3 DAY", "TIMES(3, 86400000000000)"),
        ("INTERVAL -(a) MONTH", "NEGATE(TIMES(a, 1))"),
        ("{fn UPPER(a)}", "UPPER(a)"),
        ("DESCRIPTOR(a)", "DESCRIPTOR(a)"),
    ],
)
def test_functions_with_keywords_have_the_arguments_of_the_registry(text: str, tree: str) -> None:
    assert shown(parse_expression(text)) == tree
