"""Comparison and logic beyond the operators."""

from __future__ import annotations

from typing import Self

from table_api.expressions.node_holder import NodeHolder, built_in, to_unresolved
from table_api.expressions.unresolved import Call, Subquery, SubqueryKind
from table_common.exceptions import ValidationException


class ComparisonMethods(NodeHolder):
    """Conditions, and choices by condition."""

    __slots__ = ()

    def between(self, lower_bound: object, upper_bound: object) -> Self:
        """Returns whether this is between two bounds, inclusive."""
        return self._call("BETWEEN", lower_bound, upper_bound)

    def not_between(self, lower_bound: object, upper_bound: object) -> Self:
        """Returns whether this is outside of two bounds."""
        return self._call("NOT_BETWEEN", lower_bound, upper_bound)

    def in_(self, first_element_or_table: object, *remaining_elements: object) -> Self:
        """Returns whether this equals one of the elements, or a value of a table of one column.

        Raises:
            ValidationException: a table and further elements are given.
        """
        query = None
        if not isinstance(first_element_or_table, NodeHolder):  # which would take any attribute for a field
            query = getattr(first_element_or_table, "query_operation", None)
        if query is None:
            return self._of(Call(built_in("IN"), tuple(map(to_unresolved, (self, first_element_or_table, *remaining_elements)))))
        if remaining_elements:
            raise ValidationException("in_ takes elements or one table, but got a table and more.")
        return self._of(Subquery(SubqueryKind.IN, query, self._node))

    def then(self, if_true: object, if_false: object) -> Self:
        """Returns ``if_true`` where this condition is true, else ``if_false``."""
        return self._call("CASE", if_true, if_false)

    def if_null(self, null_replacement: object) -> Self:
        """Returns this, or the replacement where this is NULL."""
        return self._call("IFNULL", null_replacement)

    @property
    def is_null(self) -> Self:
        """Returns whether this is NULL."""
        return self._call("IS_NULL")

    @property
    def is_not_null(self) -> Self:
        """Returns whether this is not NULL."""
        return self._call("IS_NOT_NULL")

    @property
    def is_true(self) -> Self:
        """Returns whether this is true; false where it is NULL."""
        return self._call("IS_TRUE")

    @property
    def is_false(self) -> Self:
        """Returns whether this is false; false where it is NULL."""
        return self._call("IS_FALSE")

    @property
    def is_not_true(self) -> Self:
        """Returns whether this is false or NULL."""
        return self._call("IS_NOT_TRUE")

    @property
    def is_not_false(self) -> Self:
        """Returns whether this is true or NULL."""
        return self._call("IS_NOT_FALSE")
