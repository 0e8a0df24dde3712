"""Aggregates."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from table_api.expressions.node_holder import NodeHolder, to_unresolved
from table_api.expressions.unresolved import Call, Literal, Over, Reference
from table_common.exceptions import ValidationException


class AggregateMethods(NodeHolder):
    """Functions of many rows: in ``select`` after ``group_by``, or over all rows."""

    __slots__ = ()

    @property
    def sum(self) -> Self:
        """Returns the sum; NULL where there is no value."""
        return self._call("SUM")

    @property
    def sum0(self) -> Self:
        """Returns the sum; 0 where there is no value."""
        return self._call("SUM0")

    @property
    def min(self) -> Self:
        """Returns the least value."""
        return self._call("MIN")

    @property
    def max(self) -> Self:
        """Returns the greatest value."""
        return self._call("MAX")

    @property
    def count(self) -> Self:
        """Returns the number of values that are not NULL."""
        return self._call("COUNT")

    @property
    def avg(self) -> Self:
        """Returns the mean."""
        return self._call("AVG")

    @property
    def first_value(self) -> Self:
        """Returns the first value."""
        return self._call("FIRST_VALUE")

    @property
    def last_value(self) -> Self:
        """Returns the last value."""
        return self._call("LAST_VALUE")

    @property
    def stddev_pop(self) -> Self:
        """Returns the standard deviation of the population."""
        return self._call("STDDEV_POP")

    @property
    def stddev_samp(self) -> Self:
        """Returns the standard deviation of the sample."""
        return self._call("STDDEV_SAMP")

    @property
    def var_pop(self) -> Self:
        """Returns the variance of the population."""
        return self._call("VAR_POP")

    @property
    def var_samp(self) -> Self:
        """Returns the variance of the sample."""
        return self._call("VAR_SAMP")

    @property
    def collect(self) -> Self:
        """Returns the values as a multiset."""
        return self._call("COLLECT")

    @property
    def array_agg(self) -> Self:
        """Returns the values as an array."""
        return self._call("ARRAY_AGG")

    def list_agg(self, separator: object = None) -> Self:
        """Returns the texts with a separator, by default a comma, between them."""
        return self._call("LISTAGG", optional=[separator])

    def percentile(self, percentage: object, frequency: object = None) -> Self:
        """Returns the exact percentile, or an array of them, interpolated between values."""
        return self._call("PERCENTILE", percentage, optional=[frequency])

    @property
    def distinct(self) -> Self:
        """Returns the aggregate over distinct values.

        Raises:
            ValidationException: this is not a call.
        """
        if not isinstance(self._node, Call):
            raise ValidationException("distinct belongs to an aggregate, such as col('a').count.distinct.")
        return self._of(replace(self._node, distinct=True))

    def over(self, alias: object) -> Self:
        """Returns the aggregate over a window of ``Table.over_window``, named by its alias.

        Raises:
            ValidationException: the argument is not the alias of a window.
        """
        node = to_unresolved(alias)
        name = node.path[-1] if isinstance(node, Reference) else node.value if isinstance(node, Literal) else None
        if not isinstance(name, str):
            raise ValidationException("over takes the alias of a window: over(col('w')).")
        return self._of(Over(self._node, name))
