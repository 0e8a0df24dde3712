"""Declared expressions as SHOW CREATE prints them."""

from __future__ import annotations

import pytest

from table_api.sql.printed_expression import printed_expression


@pytest.mark.parametrize(
    ("declared", "printed"),
    [
        ("ts - interval '5' seconds", "`ts` - INTERVAL '5' SECOND"),
        ("ts - INTERVAL '1' minute", "`ts` - INTERVAL '1' MINUTE"),
        ("ts + interval '1 02:03' day to minute", "`ts` + INTERVAL '1 02:03' DAY TO MINUTE"),
        ("upper(cast(a as string))", "UPPER(CAST(`a` AS STRING))"),
        ("`concat`(a, 'b')", "CONCAT(`a`, 'b')"),
        ("myFunc(a, lower(b))", "myFunc(`a`, LOWER(`b`))"),
        ("case when a > 1 then 'x y' else null end", "CASE WHEN `a` > 1 THEN 'x y' ELSE NULL END"),
        ("extract(year from `date`) + 1e3", "EXTRACT(YEAR FROM `date`) + 1E3"),
        ("a.b.c is not null and current_date > d", "`a`.`b`.`c` IS NOT NULL AND CURRENT_DATE > `d`"),
        ("minutes + seconds", "`minutes` + `seconds`"),
        ("proctime()", "PROCTIME()"),
        ("a /* interval '1' minutes */ + 1", "`a` /* interval '1' minutes */ + 1"),
    ],
)
def test_names_are_in_back_ticks_and_words_in_upper_case(declared: str, printed: str) -> None:
    assert printed_expression(declared) == printed


def test_a_printed_expression_is_printed_as_it_is() -> None:
    printed = printed_expression("floor(ts to hour) - interval '2' hours")
    assert printed_expression(printed) == printed
