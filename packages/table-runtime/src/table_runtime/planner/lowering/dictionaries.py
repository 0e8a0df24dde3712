"""Columns of a scan that reach an operator that takes them as dictionary arrays."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from table_common.expressions import FieldReferenceExpression, references
from table_runtime.expressions import Evaluator
from table_runtime.operators.operator import Operator
from table_runtime.operators.pipeline import Pipeline

__all__ = ["DictionaryColumns", "allow_dictionaries"]


def allow_dictionaries(child: Operator, columns: Collection[int]) -> None:
    """Lets a scan of files return the STRING columns that are these of ``child`` as dictionary arrays.

    ``child`` is the input of an operator that decodes them in all that it returns: the scan, or filters and projections above it. What has several
    consumers is below another operator.
    """
    from table_runtime.operators.scan_files import ScanFiles  # plans without files do not need it

    if isinstance(child, Pipeline):
        if not isinstance(child.inputs[0], ScanFiles):
            return
        for step in reversed(child.steps):
            columns = step.allow_dictionaries(columns) if columns else columns
        (child,) = child.inputs
    if isinstance(child, ScanFiles):
        child.dictionaries = frozenset(child.schema.field(i).name for i in columns if pa.types.is_string(child.schema.field(i).type))


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
