"""Operands: rows, collections, CASE, casts and postfixes."""

from __future__ import annotations

import pytest

from table_api.expressions.summary import summary_of
from table_api.expressions.unresolved import Reference, Star, Subquery, SubqueryKind
from table_api.sql.parser import parse_expression, parse_statement
from table_common.exceptions import SqlParserException, ValidationException


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("(a)", "a"),
        ("(a, b)", "ROW(a, b)"),
        ("ROW(a)", "ROW(a)"),
        ("ARRAY[a, b]", "ARRAY(a, b)"),
        ("MAP['k', a]", "MAP('k', a)"),
        ("a::INT", "CAST(a, INT)"),
        ("TRY_CAST(a AS INT)", "TRY_CAST(a, INT)"),
        ("a[1][2]", "AT(AT(a, 1), 2)"),
        ("-2147483648", "-2147483648"),
        ("-a", "NEGATE(a)"),
        ("CASE WHEN a THEN 1 END", "CASE(a, 1, NULL)"),
        ("CASE a WHEN 1 THEN 2 ELSE 3 END", "CASE(EQUALS(a, 1), 2, 3)"),
        ("{fn UPPER(a)}", "UPPER(a)"),
        ("{d '2024-01-01'}", "2024-01-01"),
        ("INTERVAL (n) DAY", "TIMES(n, 86400000000000)"),
    ],
)
def test_an_operand_is_this_expression(text: str, summary: str) -> None:
    assert summary_of(parse_expression(text)) == summary


def test_a_name_may_have_several_parts() -> None:
    assert parse_expression("`a.b`.c") == Reference(("a.b", "c"))


def test_a_star_may_exclude_columns() -> None:
    query = parse_statement("SELECT t.* EXCEPT (a, b) FROM t")
    assert query.projection == (Star(("t",), ("a", "b")),)  # type: ignore[union-attr]


def test_a_query_in_parentheses_is_a_scalar_subquery() -> None:
    expression = parse_expression("((SELECT 1))")
    assert isinstance(expression, Subquery)
    assert expression.kind is SubqueryKind.SCALAR


def test_a_multiset_constructor_has_a_hint() -> None:
    with pytest.raises(ValidationException, match="not supported") as raised:
        parse_expression("MULTISET[1, 2]")
    assert "COLLECT" in (raised.value.hint or "")


def test_an_interval_of_an_expression_has_one_unit() -> None:
    with pytest.raises(SqlParserException, match="one unit"):
        parse_expression("INTERVAL (n) DAY TO SECOND")
