from __future__ import annotations

import pytest

from table_api.expressions import Expression, col, row_interval
from table_api.expressions.unresolved import Alias, Literal, Over, Reference, SortKey, Star
from table_common.exceptions import ValidationException
from table_common.types import DataTypes


def test_truth_value_of_an_expression_explains_the_operators() -> None:
    with pytest.raises(TypeError, match="write & for and"):
        bool(col("a") == 1)


def test_chained_comparison_is_refused() -> None:
    with pytest.raises(TypeError, match="between"):
        1 < col("a") < 2  # noqa: B015  # the comparison itself is what fails


def test_star_is_all_columns() -> None:
    assert col("*").unresolved == Star()


def test_alias_keeps_extra_names() -> None:
    assert col("a").alias("b", "c").unresolved == Alias(Reference(("a",)), "b", ("c",))


def test_desc_orders_descending() -> None:
    assert col("a").desc.unresolved == SortKey(Reference(("a",)), ascending=False)


def test_over_names_the_window() -> None:
    assert col("a").sum.over(col("w")).unresolved == Over(col("a").sum.unresolved, "w")


def test_distinct_belongs_to_a_call() -> None:
    with pytest.raises(ValidationException, match="belongs to an aggregate"):
        _ = col("a").distinct


def test_summary_shows_nested_calls() -> None:
    assert str((col("a").upper_case + 1).alias("x")) == "AS(PLUS(UPPER(a), 1), x)"


def test_expressions_are_immutable_and_hashable() -> None:
    column = col("a")
    assert len({column, column}) == 1


def test_pyflink_annotations_are_accepted() -> None:
    assert Expression[bool] is Expression


def test_iterating_over_an_expression_is_refused() -> None:
    with pytest.raises(TypeError, match="is not iterable"):
        list(col("a"))


def test_row_interval_is_a_bigint() -> None:
    node = row_interval(3).unresolved
    assert isinstance(node, Literal)
    assert str(node.type) == "BIGINT NOT NULL"


def test_a_type_given_as_text_is_parsed() -> None:
    assert str(col("a").cast("DECIMAL(5, 2)")) == str(col("a").cast(DataTypes.DECIMAL(5, 2)))


def test_a_misspelt_method_is_named_with_the_similar_one() -> None:
    with pytest.raises(TypeError, match=r"An expression has no method 'lowercase'\. Did you mean 'lower_case'\?"):
        col("a").lowercase()
    with pytest.raises(TypeError, match="An expression cannot be called"):
        (col("a") + 1)(2)
