"""Converts resolved expressions of MATCH_RECOGNIZE to expressions over values of the match: row navigations, aggregates, the match time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.operations import SubqueryExpression
from table_api.resolution.aggregate_expression import AggregateExpression
from table_api.resolution.over.expression import WindowExpression
from table_common.annotation import override
from table_common.exceptions import SourcePosition, TableException, ValidationException
from table_common.expressions import (
    ANY_VARIABLE,
    CallExpression,
    FieldReferenceExpression,
    MatchTime,
    PatternAggregate,
    PatternExpression,
    ResolvedExpression,
    RowNavigation,
    ValueLiteralExpression,
    references,
)
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions.builtin import aggregates, windows
from table_common.tree import preorder, transform_up
from table_common.types import LocalZonedTimestampType, LogicalType, TimestampKind, TimestampType, is_rowtime, plain_timestamp

_NAVIGATIONS = (windows.FIRST, windows.LAST, windows.PREV, windows.NEXT)


@dataclass(frozen=True, slots=True)
class _MatchValue(ResolvedExpression):
    """A value of the match, by its position among the expression's values; columns of the input are still references."""

    place: int
    text: str
    output_type: LogicalType

    @override
    def as_serializable_string(self) -> str:
        return self.text


class PatternExpressions:
    """Converts expressions of one MATCH_RECOGNIZE, which were resolved against a ``PatternScope`` of these variables.

    ``time`` is the column that rows are ordered by first.
    """

    def __init__(self, variables: Sequence[str], time: FieldReferenceExpression) -> None:
        self._variables = tuple(variables)
        self._time = time
        self._values: dict[RowNavigation | PatternAggregate | MatchTime, int] = {}

    def convert(
        self,
        expression: ResolvedExpression,
        position_of: Callable[[ResolvedExpression], SourcePosition | None],
        *,
        is_measure: bool,
    ) -> PatternExpression:
        """Returns the expression over values of the match.

        Raises:
            ValidationException: a navigation or aggregate uses no or several variables, or is not allowed in its place.
            TableException: the expression uses rows outside of the match.
        """

        self._values = {}

        def change(node: ResolvedExpression) -> ResolvedExpression:
            try:
                return self._change(node, is_measure=is_measure)
            except (ValidationException, TableException) as error:
                raise error.at(position_of(node)) from None

        changed = transform_up(expression, ResolvedExpression, change)
        navigated = transform_up(changed, ResolvedExpression, lambda node: self._navigated(node, from_first=False, offset=0))
        placed = transform_up(navigated, ResolvedExpression, _as_column)
        return PatternExpression(placed, tuple(self._values))

    def _value(self, value: RowNavigation | PatternAggregate | MatchTime, output_type: LogicalType) -> _MatchValue:
        return _MatchValue(self._values.setdefault(value, len(self._values)), str(value), output_type)

    def _change(self, node: ResolvedExpression, *, is_measure: bool) -> ResolvedExpression:
        """Replaces navigations, aggregates and the match time by values of the match."""
        match node:
            case SubqueryExpression():
                raise TableException("Subqueries are not supported in MATCH_RECOGNIZE.", hint="join the other table before or after")
            case WindowExpression():
                raise ValidationException("OVER windows are not supported in MATCH_RECOGNIZE.")
            case AggregateExpression():
                return self._value(self._aggregate(node), node.output_type)
            case CallExpression() if node.function in _NAVIGATIONS:
                return self._navigation(node, is_measure=is_measure)
            case CallExpression() if node.function in (windows.MATCH_ROWTIME, windows.MATCH_PROCTIME):
                if not is_measure:
                    raise ValidationException(f"{node.function.name} can only be used in MEASURES: only a complete match has a time.")
                if node.function is windows.MATCH_PROCTIME:
                    return self._value(MatchTime(node.output_type), node.output_type)
                return self._row_time(node)
            case _:
                return node

    def _navigated(self, node: ResolvedExpression, *, from_first: bool, offset: int) -> ResolvedExpression:
        if not isinstance(node, FieldReferenceExpression):
            return node
        column = replace(node, input_index=0)
        navigation = RowNavigation(self._variables[node.input_index], column, from_first, offset)
        # Differs from Flink: the time of a row of a match of MATCH_RECOGNIZE is a plain timestamp. Flink gives it the type of a time
        # attribute, as MATCH_ROWTIME has.
        return self._value(navigation, plain_timestamp(node.output_type))

    # --- FIRST and LAST -----------------------------------------------------------------------------------------------------------

    def _navigation(self, call: CallExpression, *, is_measure: bool) -> ResolvedExpression:
        name = call.function.name
        value, default = call.args[0], 0 if call.function in (windows.FIRST, windows.LAST) else 1
        offset = default
        if len(call.args) > 1:
            literal = call.args[1]
            if not isinstance(literal, ValueLiteralExpression) or type(literal.value) is not int or literal.value < 0:
                raise ValidationException(f"The second argument of {name} is a constant number of rows, 0 or more.")
            offset = literal.value
        if call.function in (windows.PREV, windows.NEXT):
            if is_measure:
                raise ValidationException(
                    f"{name} cannot be used in MEASURES.", hint="LAST(variable.column, n) looks back inside the match"
                )
            if offset:
                raise TableException(
                    f"{name} looks at rows outside of the match, which is not supported.",
                    hint="LAST(variable.column, 1) is the row before the last one of the variable",
                )
        if any(isinstance(node, _MatchValue) for node in preorder(value, ResolvedExpression)):
            raise ValidationException(f"{name} takes columns of one row, not navigation functions or aggregates.")
        self._one_variable([value], name)

        def navigate(node: ResolvedExpression) -> ResolvedExpression:
            if isinstance(node, FieldReferenceExpression) and offset:
                node = replace(node, output_type=node.output_type.with_nullability(True))
            if isinstance(node, CallExpression) and offset:
                return replace(node, output_type=node.output_type.with_nullability(True))
            return self._navigated(node, from_first=call.function is windows.FIRST, offset=offset)

        return transform_up(value, ResolvedExpression, navigate)

    def _one_variable(self, expressions: Sequence[ResolvedExpression], name: str) -> str:
        found = {side for side, _ in references(expressions)}
        if not found:
            raise ValidationException(f"{name} takes a column of the rows.", hint=f"{name}(variable.column)")
        if len(found) > 1:
            names = " and ".join(f"'{self._variables[i]}'" if i else "any variable" for i in sorted(found))
            raise ValidationException(f"{name} uses the rows of one pattern variable, but its argument uses {names}.")
        return self._variables[found.pop()]

    # --- aggregates ---------------------------------------------------------------------------------------------------------------

    def _aggregate(self, call: AggregateExpression) -> PatternAggregate:
        name = call.function.name
        if call.distinct:
            raise ValidationException(f"{name}(DISTINCT …) is not supported in MATCH_RECOGNIZE.")
        if call.filter is not None or call.order_by:
            raise ValidationException(f"{name} takes neither FILTER nor an order in MATCH_RECOGNIZE: the rows of a variable are ordered.")
        args, constants = list(call.args), list[ValueLiteralExpression]()
        while len(args) > 1 and isinstance(last := args[-1], ValueLiteralExpression):
            constants.insert(0, last)
            args.pop()
        if any(isinstance(node, _MatchValue) for arg in args for node in preorder(arg, ResolvedExpression)):
            raise ValidationException(f"{name} takes columns of its rows, not navigation functions.")
        if call.function is aggregates.COUNT and len(args) > 1:
            raise ValidationException("COUNT takes one argument in MATCH_RECOGNIZE.")
        is_count_of_all = call.function is aggregates.COUNT and not args
        variable = ANY_VARIABLE if is_count_of_all else self._one_variable(args, name)
        plain = tuple(transform_up(arg, ResolvedExpression, _of_input) for arg in args)
        return PatternAggregate(variable, call.function, plain, call.output_type, tuple(constants))

    # --- time ---------------------------------------------------------------------------------------------------------------------

    def _row_time(self, call: CallExpression) -> ResolvedExpression:
        time_type = self._time.output_type
        if call.args:
            (argument,) = call.args
            if not isinstance(argument, FieldReferenceExpression):
                raise ValidationException("MATCH_ROWTIME takes a column, the time attribute.", hint="MATCH_ROWTIME() needs no argument")
            if not isinstance(argument.output_type, (TimestampType, LocalZonedTimestampType)):
                raise ValidationException(
                    f"MATCH_ROWTIME takes the time attribute, but column '{argument.name}' is {argument.output_type}."
                )
        elif isinstance(time_type, LocalZonedTimestampType):
            raise ValidationException(
                "MATCH_ROWTIME() is for rows with a TIMESTAMP.", hint=f"with TIMESTAMP_LTZ write MATCH_ROWTIME({self._time.name})"
            )
        output_type = call.output_type
        assert isinstance(output_type, (TimestampType, LocalZonedTimestampType))
        kind = TimestampKind.ROWTIME if is_rowtime(time_type) else TimestampKind.REGULAR
        output_type = replace(output_type, kind=kind, nullable=output_type.nullable and bool(call.args))
        return self._value(MatchTime(output_type, self._time), output_type)


def _as_column(node: ResolvedExpression) -> ResolvedExpression:
    return FieldReferenceExpression(node.text, node.output_type, 0, node.place) if isinstance(node, _MatchValue) else node


def _of_input(node: ResolvedExpression) -> ResolvedExpression:
    return replace(node, input_index=0) if isinstance(node, FieldReferenceExpression) else node
