"""Lowers outer, semi and anti joins whose condition calls Python over columns of both sides, which Spark supports in inner joins only.

An inner join finds the matching pairs. A row has no match if its columns in the condition do not occur among the pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import JoinQueryOperation, JoinType
from table_common.expressions import conjuncts, is_deterministic, references
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.converter import to_spark_sql
from table_planner_spark.expressions.names import WORKER_PREFIX
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation

_KEEPS_LEFT = (JoinType.LEFT_OUTER, JoinType.FULL_OUTER)
_KEEPS_RIGHT = (JoinType.RIGHT_OUTER, JoinType.FULL_OUTER)


def needs_pairs(node: JoinQueryOperation, condition: str, left: SparkRelation, right: SparkRelation) -> bool:
    """Returns whether Spark rejects the condition in a join of this type."""
    if WORKER_PREFIX not in condition or node.condition is None or node.join_type is JoinType.INNER:
        return False
    if not is_deterministic([node.condition]):
        return False  # Spark rejects it with a clear message
    return any(
        {side for side, _ in references([conjunct])} == {0, 1} and WORKER_PREFIX in to_spark_sql(conjunct, left.columns, right.columns)
        for conjunct in conjuncts(node.condition)
    )


def join_through_pairs(
    node: JoinQueryOperation, condition: str, left: SparkRelation, right: SparkRelation, context: LoweringContext
) -> SparkRelation:
    """Returns the pairs of an inner join, and the unmatched rows of the sides that the join preserves."""
    assert node.condition is not None
    pairs = SparkRelation.join(left, "INNER", right, f" ON {condition}")
    used = sorted(references([node.condition]))
    if node.join_type in (JoinType.SEMI, JoinType.ANTI):
        return _compare(left, 0, "SEMI" if node.join_type is JoinType.SEMI else "ANTI", used, pairs, context)
    columns = (*left.columns, *right.columns)
    parts: list[str | SparkRelation] = [f"SELECT {', '.join(map(quote_name, columns))} FROM ", pairs]
    for side, position, types in ((left, 0, _KEEPS_LEFT), (right, 1, _KEEPS_RIGHT)):
        if node.join_type in types:
            texts = [quote_name(name) if name in side.columns else "NULL" for name in columns]
            parts += [f" UNION ALL SELECT {', '.join(texts)} FROM ", _compare(side, position, "ANTI", used, pairs, context)]
    return SparkRelation.query(parts, columns)


def _compare(
    side: SparkRelation, position: int, operator: str, used: Sequence[tuple[int, int]], pairs: SparkRelation, context: LoweringContext
) -> SparkRelation:
    """Returns the rows of a side that have a match among the pairs (SEMI), or none (ANTI)."""
    keys = [side.columns[column] for input_, column in used if input_ == position]
    names = context.new_names(keys)
    copies = ", ".join(f"{quote_name(key)} AS {quote_name(name)}" for key, name in zip(keys, names, strict=True))
    matched = pairs.select([f"DISTINCT {copies}"], names)
    equal = " AND ".join(f"{quote_name(key)} <=> {quote_name(name)}" for key, name in zip(keys, names, strict=True))
    return SparkRelation.join(side, f"LEFT {operator}", matched, f" ON {equal}", keeps_right=False)
