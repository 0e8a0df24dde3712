"""Selects the parts of Spark's optimizer to disable for a statement: their cost grows too fast with the size of the plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from table_api.operations import JoinQueryOperation, Operation
from table_common.tree import preorder

EXCLUDED_RULES = "spark.sql.optimizer.excludedRules"
"""The option that lists the rules that Spark's optimizer skips."""
_CONSTRAINTS = "spark.sql.constraintPropagation.enabled"
"""The option by which Spark derives further conditions from those of joins and filters."""
OPTIMIZER_OPTIONS = frozenset({EXCLUDED_RULES, _CONSTRAINTS})
"""The options that ``optimizer_options`` may set. They hold for one statement."""
_MOST_REORDERED = 64
"""The most joins with a condition that Spark may reorder: it compares all pairs, and again after each change."""
_MOST_DERIVED = 24
"""The most joins with a condition from which Spark may derive others: all pairs of equal columns, again at each join. A chain of 63 takes minutes."""
_RULES = "org.apache.spark.sql.catalyst.optimizer."
_EVALUATING = ("ConstantFolding", "ConvertToLocalRelation")
"""The rules that evaluate expressions."""


def optimizer_options(operations: Sequence[Operation], excluded: Callable[[], str | None]) -> dict[str, str]:
    """Returns options of Spark's optimizer for a statement; usually none. ``excluded`` returns what the session excludes."""
    nodes = {id(node): node for operation in operations for node in preorder(operation, Operation)}
    joins = sum(isinstance(node, JoinQueryOperation) and node.condition is not None for node in nodes.values())
    options = {}
    if joins > _MOST_DERIVED:
        options[_CONSTRAINTS] = "false"
    if joins > _MOST_REORDERED:
        options[EXCLUDED_RULES] = ",".join(filter(None, [excluded(), f"{_RULES}ReorderJoin"]))
    return options


def without_evaluation(options: Mapping[str, str]) -> dict[str, str]:
    """Returns the options of a statement with which Spark evaluates no expression while it plans."""
    excluded = [*filter(None, [options.get(EXCLUDED_RULES)]), *(_RULES + rule for rule in _EVALUATING)]
    return {**options, EXCLUDED_RULES: ",".join(excluded)}
