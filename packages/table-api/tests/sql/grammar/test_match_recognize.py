"""MATCH_RECOGNIZE: clauses and row patterns."""

from __future__ import annotations

from table_api.sql.ast import (
    MatchRecognizeRef,
    Select,
)
from table_api.sql.parser import parse_statement


def select(text: str) -> Select:
    query = parse_statement(text)
    assert isinstance(query, Select)
    return query


def test_match_recognize() -> None:
    source = select(
        """SELECT * FROM t MATCH_RECOGNIZE (
             PARTITION BY s ORDER BY ts MEASURES FINAL LAST(A.p) AS x, B.p AS y ONE ROW PER MATCH AFTER MATCH SKIP TO FIRST B
             PATTERN (^ A B{2,3}? (C | D)* PERMUTE(E, F) {- G -} $) WITHIN INTERVAL '1' HOUR SUBSET U = (A, B)
             DEFINE A AS A.p > 1, B AS PREV(B.p) < 2) AS m"""
    ).source
    assert isinstance(source, MatchRecognizeRef)
    assert source.alias == "m"
    assert [(m.name, m.semantics) for m in source.measures] == [("x", "FINAL"), ("y", "")]
    assert (source.after_match, source.after_match_variable) == ("TO FIRST", "B")
    assert source.strict_start
    assert source.strict_end
    assert source.pattern is not None
    assert [item.kind for item in source.pattern.items] == ["VARIABLE", "VARIABLE", "ALTERNATE", "PERMUTE", "EXCLUDE"]
    assert source.pattern.items[1].quantifier is not None
    assert (source.pattern.items[1].quantifier.minimum, source.pattern.items[1].quantifier.maximum) == (2, 3)
    assert not source.pattern.items[1].quantifier.greedy
    assert [definition.variable for definition in source.definitions] == ["A", "B"]


def test_without_after_match_the_search_goes_on_at_the_next_row_as_in_flink() -> None:
    source = select("SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES A.p AS x PATTERN (A) DEFINE A AS A.p > 1)").source
    assert isinstance(source, MatchRecognizeRef)
    assert (source.after_match, source.after_match_variable) == ("TO NEXT ROW", None)
