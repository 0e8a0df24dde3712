"""``Expression``: columns, constants and computations of the Table API."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, Self

from table_api.expressions.methods import (
    AggregateMethods,
    CollectionMethods,
    ComparisonMethods,
    ConversionMethods,
    HashMethods,
    IntervalMethods,
    JsonMethods,
    MathMethods,
    StringMethods,
    TemporalMethods,
    WindowMethods,
)
from table_api.expressions.node_holder import call_of
from table_api.expressions.not_callable import not_callable
from table_api.expressions.summary import summary_of
from table_api.expressions.unresolved import Alias, NamedArgument, SortKey


class Expression(
    AggregateMethods,
    CollectionMethods,
    ComparisonMethods,
    ConversionMethods,
    HashMethods,
    IntervalMethods,
    JsonMethods,
    MathMethods,
    StringMethods,
    TemporalMethods,
    WindowMethods,
):
    """A column, a constant, or a computation on them. Immutable; it has a value only as a part of a query.

    Operators build larger expressions: ``+ - * / % **``, ``== != < <= > >=``, ``& |`` for AND and OR, ``~`` for IS NOT TRUE, and ``[…]``
    for elements of arrays and maps. An operand that is not an expression becomes a constant.

    Example:
        >>> from table_api import col
        >>> str((col("a") + 1).alias("b"))
        'AS(PLUS(a, 1), b)'
        >>> table = env.from_elements([(3, {"x": 1})], ["a", "m"])
        >>> list(table.select(((col("a") > 2) & col("m")["x"].is_not_null).alias("b")).execute().collect())
        [Row(b=True)]

    Source: PyFlink's ``pyflink.table.Expression``.
    """

    __slots__ = ()

    def __class_getitem__(cls, item: object) -> type[Self]:
        # PyFlink programs annotate with Expression[bool]; the parameter has no effect at run time.
        return cls

    # --- names, order, arguments -------------------------------------------------------------------------------------------------

    def alias(self, name: str, *extra_names: str) -> Self:
        """Names the expression; an expression with several result columns, such as a table function, takes several names."""
        return self._of(Alias(self._node, name, extra_names))

    def as_argument(self, name: str) -> Self:
        """Returns the expression as a named argument of a call."""
        return self._of(NamedArgument(name, self._node))

    @property
    def asc(self) -> Self:
        """Returns an ascending sort key, NULL first."""
        return self._of(SortKey(self._node, ascending=True))

    @property
    def desc(self) -> Self:
        """Returns a descending sort key, NULL last."""
        return self._of(SortKey(self._node, ascending=False))

    # --- arithmetic --------------------------------------------------------------------------------------------------------------

    def __add__(self, other: object) -> Self:
        return self._call("PLUS", other)

    def __radd__(self, other: object) -> Self:
        return self._of(call_of("PLUS", other, self))

    def __sub__(self, other: object) -> Self:
        return self._call("MINUS", other)

    def __rsub__(self, other: object) -> Self:
        return self._of(call_of("MINUS", other, self))

    def __mul__(self, other: object) -> Self:
        return self._call("TIMES", other)

    def __rmul__(self, other: object) -> Self:
        return self._of(call_of("TIMES", other, self))

    def __truediv__(self, other: object) -> Self:
        return self._call("DIVIDE", other)

    def __rtruediv__(self, other: object) -> Self:
        return self._of(call_of("DIVIDE", other, self))

    def __mod__(self, other: object) -> Self:
        return self._call("MOD", other)

    def __rmod__(self, other: object) -> Self:
        return self._of(call_of("MOD", other, self))

    def __pow__(self, other: object) -> Self:
        return self._call("POWER", other)

    def __rpow__(self, other: object) -> Self:
        return self._of(call_of("POWER", other, self))

    def __neg__(self) -> Self:
        return self._call("NEGATE")

    def __abs__(self) -> Self:
        return self.abs

    # --- comparison and logic ----------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Self:  # type: ignore[override]  # builds an expression
        return self._call("EQUALS", other)

    def __ne__(self, other: object) -> Self:  # type: ignore[override]  # builds an expression
        return self._call("NOT_EQUALS", other)

    def __lt__(self, other: object) -> Self:
        return self._call("LESS_THAN", other)

    def __le__(self, other: object) -> Self:
        return self._call("LESS_THAN_OR_EQUAL", other)

    def __gt__(self, other: object) -> Self:
        return self._call("GREATER_THAN", other)

    def __ge__(self, other: object) -> Self:
        return self._call("GREATER_THAN_OR_EQUAL", other)

    def __and__(self, other: object) -> Self:
        return self._call("AND", other)

    def __rand__(self, other: object) -> Self:
        return self._of(call_of("AND", other, self))

    def __or__(self, other: object) -> Self:
        return self._call("OR", other)

    def __ror__(self, other: object) -> Self:
        return self._of(call_of("OR", other, self))

    def __invert__(self) -> Self:
        # As in PyFlink, true where the predicate is NULL; not_(…) is SQL's NOT.
        return self.is_not_true

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "An expression has no truth value: write & for and, | for or, ~ or not_(…) for not, "
            "with each side in parentheses, and .between(low, high) instead of low <= x <= high."
        )

    # --- elements ----------------------------------------------------------------------------------------------------------------

    def __getitem__(self, index: object) -> Self:
        return self.at(index)

    def __getattr__(self, name: str) -> Self:
        # A field of a row: col("address").city. Names with a leading underscore belong to Python.
        if name.startswith("_"):
            raise AttributeError(f"Expression has no attribute '{name}'")
        return self.get(name)

    if not TYPE_CHECKING:  # type checkers say that it cannot be called

        def __call__(self, *args: object, **kwargs: object) -> NoReturn:
            raise TypeError(not_callable(self._node, (name for name in dir(type(self)) if not name.startswith("_"))))

    def __iter__(self) -> NoReturn:
        raise TypeError("An expression is not iterable; .at(i) or [i] returns an element, counted from 1.")

    def __hash__(self) -> int:
        return hash(id(self))

    def __str__(self) -> str:
        return summary_of(self._node)

    def __repr__(self) -> str:
        return f"<Expression {self}>"
