"""Columns of projections that may be dictionary arrays. Operators hold this, so that it is no part of the planner, which workers do not have."""

from __future__ import annotations

from collections.abc import Collection

from table_common.expressions import FieldReferenceExpression, references
from table_runtime.expressions.evaluator import Evaluator


class DictionaryColumns:
    """The columns that a projection passes from its input, so that they may be dictionary arrays.

    ``evaluator`` computes the projection, after as many conditions as ``conditions`` says.
    """

    def __init__(self, evaluator: Evaluator, conditions: int = 0) -> None:
        self._evaluator = evaluator
        self._conditions = conditions

    def allow(self, columns: Collection[int]) -> Collection[int]:
        """Lets these columns be dictionary arrays if they are in the input; returns which columns of the input may then be.

        A column that a condition, a computed column or a column outside of ``columns`` reads is not among them.
        """
        selected: set[int] = set()
        read: set[int] = set()
        for position, expression in enumerate(self._evaluator.expressions, -self._conditions):
            if position in columns and isinstance(expression, FieldReferenceExpression):
                selected.add(expression.field_index)
            else:
                read.update(index for _, index in references([expression]))
        selected -= read
        self._evaluator.keeps_dictionaries = bool(selected)
        return selected
