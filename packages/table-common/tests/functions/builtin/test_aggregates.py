from __future__ import annotations

from collections.abc import Callable

from table_common.functions.builtin import aggregates, definitions_of
from table_common.functions.definition import FunctionKind

FAMILY = aggregates


def test_a_call_has_the_type_that_flink_gives(fact: str, inferred: Callable[[str], tuple[str, str]]) -> None:
    actual, expected = inferred(fact)
    assert actual == expected


def test_every_definition_is_an_aggregate() -> None:
    assert {definition.kind for definition in definitions_of(aggregates)} == {FunctionKind.AGGREGATE}


def test_count_is_never_null_and_sum_is_null_over_no_rows(inferred: Callable[[str], tuple[str, str]]) -> None:
    assert inferred("COUNT(INT) global -> ")[0] == "BIGINT NOT NULL"
    assert inferred("SUM(INT NOT NULL) global -> ")[0] == "INT"
