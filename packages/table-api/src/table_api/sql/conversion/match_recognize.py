"""Converts MATCH_RECOGNIZE in FROM, and refuses the clauses that are not supported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.expressions.unresolved import SortKey, UnresolvedExpression
from table_api.operations import MatchRecognizeQueryOperation, QueryOperation, SortOrder
from table_api.resolution.pattern_expressions import PatternExpressions
from table_api.resolution.pattern_scope import PatternScope
from table_api.resolution.resolver import ExpressionResolver, as_boolean
from table_api.resolution.scope import Scope
from table_api.sql.ast import MatchRecognizeRef, MeasureItem, PatternNode
from table_api.sql.ast import PatternDefinition as PatternDefinitionNode
from table_common.exceptions import SourcePosition, TableException, ValidationException
from table_common.expressions import (
    AfterMatch,
    FieldReferenceExpression,
    PatternDefinition,
    PatternExpression,
    PatternVariable,
    ResolvedExpression,
    ValueLiteralExpression,
)
from table_common.types import TIMESTAMPS, DayTimeIntervalType, is_time_attribute

if TYPE_CHECKING:
    from table_api.sql.conversion.query_context import FromClause

_NANOS_PER_MILLI = 1_000_000
_UNSUPPORTED = {
    "ALTERNATE": "Alternatives (A | B)",
    "PERMUTE": "PERMUTE",
    "EXCLUDE": "Exclusions {- … -}",
    "EMPTY": "The empty pattern ()",
}


def match_recognize(clause: FromClause, node: MatchRecognizeRef) -> tuple[QueryOperation, Scope]:
    """Returns the matches of the pattern in the rows of the input, and the scope of their columns.

    Raises:
        ValidationException: a name or type is wrong.
        TableException: the pattern is of a kind that is not supported.
    """
    child, scope = clause.reference(node.input)
    return clause.named(node, _Conversion(clause, node, child, scope).operation(), ())


class _Conversion:
    def __init__(self, clause: FromClause, node: MatchRecognizeRef, child: QueryOperation, scope: Scope) -> None:
        self.converter = clause.converter
        self.node = node
        self.child = child
        self.scope = scope

    def operation(self) -> MatchRecognizeQueryOperation:
        node = self.node
        if node.all_rows_per_match:
            raise TableException("ALL ROWS PER MATCH is not supported.", hint="ONE ROW PER MATCH returns one row per match")
        if node.subsets:
            raise TableException(
                "SUBSET is not supported in MATCH_RECOGNIZE.", hint="a column without a variable refers to all rows of the match"
            )
        if node.strict_start or node.strict_end:
            raise TableException("The anchors ^ and $ are not supported in a pattern: a stream has no end.")
        partition_by = tuple(self._column(key, "PARTITION BY") for key in node.partition_by)
        order_by = self._order()
        pattern = self._pattern()
        variables = tuple(variable.name for variable in pattern)
        after_match, target = self._after_match(variables)
        self._refuse_repeated([item.variable for item in node.definitions], "Variable '{}' is defined twice.")
        defined = tuple(item.variable for item in node.definitions if item.variable not in variables)
        names = (*variables, *defined)
        time = order_by[0].expression
        assert isinstance(time, FieldReferenceExpression)
        expressions = PatternExpressions(("*", *names), time)
        definitions = [self._definition(item, pattern, names, expressions) for item in node.definitions]
        certain = frozenset(variable.name for variable in pattern if variable.minimum)
        measures = tuple(self._measure(item, names, certain, expressions) for item in node.measures)
        output_names = tuple(item.name for item in node.measures)
        self._refuse_repeated([*(key.name for key in partition_by), *output_names], "MATCH_RECOGNIZE has two columns '{}'.")
        return MatchRecognizeQueryOperation(
            partition_by,
            order_by,
            pattern,
            tuple(definition for definition in definitions if definition.variable in variables),
            measures,
            output_names,
            self.child,
            after_match,
            target,
            self._within(),
        )

    # --- keys ---------------------------------------------------------------------------------------------------------------------

    def _column(self, expression: UnresolvedExpression, where: str) -> FieldReferenceExpression:
        resolved = ExpressionResolver(self.converter.session, self.scope, self.converter.text, where).resolve(expression)
        if not isinstance(resolved, FieldReferenceExpression):
            raise ValidationException(
                f"{where} of MATCH_RECOGNIZE accepts columns of the table only.",
                position=self.converter.position(expression.span),
                hint="compute the column in a query in FROM",
            )
        return resolved

    def _order(self) -> tuple[SortOrder, ...]:
        keys = self.node.order_by
        if not keys:
            raise ValidationException("MATCH_RECOGNIZE needs ORDER BY a time attribute.", position=self.converter.position(self.node.span))
        orders = tuple(map(self._sort_order, keys))
        first, position = orders[0], self.converter.position(keys[0].span or keys[0].expression.span)
        time_type = first.expression.output_type
        is_streaming = self.converter.session.is_streaming_mode
        if not (is_time_attribute(time_type) if is_streaming else isinstance(time_type, TIMESTAMPS)):
            wanted = "a time attribute" if is_streaming else "a TIMESTAMP"
            raise ValidationException(
                f"ORDER BY of MATCH_RECOGNIZE must begin with {wanted}, but '{first.expression}' is {time_type}.",
                position=position,
                hint="declare WATERMARK FOR the column in the table's definition" if is_streaming else None,
            )
        if not first.ascending:
            raise ValidationException("ORDER BY of MATCH_RECOGNIZE must begin with ascending time.", position=position)
        return orders

    def _sort_order(self, key: SortKey) -> SortOrder:
        nulls_first = key.ascending if key.nulls_first is None else key.nulls_first
        return SortOrder(self._column(key.expression, "ORDER BY"), key.ascending, nulls_first)

    # --- the pattern --------------------------------------------------------------------------------------------------------------

    def _pattern(self) -> tuple[PatternVariable, ...]:
        assert self.node.pattern is not None
        pattern = tuple(self._variables(self.node.pattern))
        self._refuse_repeated([v.name for v in pattern], "Variable '{}' is in the pattern twice, which is not supported.")
        if all(variable.minimum == 0 for variable in pattern):
            raise TableException("A pattern that matches no rows is not supported.", hint="at least one variable must match a row")
        last = pattern[-1]
        if last.greedy and last.minimum != last.maximum and (last.minimum, last.maximum) != (0, 1):
            raise TableException(
                f"The pattern ends with the greedy {last}, which is not supported: the end of a match could not be detected.",
                hint=f"write {last}? or add a variable for the first row after it",
            )
        return pattern

    def _variables(self, root: PatternNode) -> list[PatternVariable]:
        """Returns the variables of a sequence in order; recursion is as deep as the parentheses of the pattern."""
        found: list[PatternVariable] = []
        stack = [root]
        while stack:
            node = stack.pop()
            if node.kind in _UNSUPPORTED:
                raise TableException(f"{_UNSUPPORTED[node.kind]} in a pattern is not supported.")
            if node.kind == "VARIABLE":
                found.append(_variable(node))
                continue
            if node.quantifier is not None:
                raise TableException("A quantifier of a group of variables is not supported.", hint="put quantifiers after variables")
            stack.extend(reversed(node.items))
        return found

    def _after_match(self, variables: tuple[str, ...]) -> tuple[AfterMatch, str | None]:
        match self.node.after_match:
            case "PAST LAST ROW":
                return AfterMatch.PAST_LAST_ROW, None
            case "TO NEXT ROW":
                return AfterMatch.TO_NEXT_ROW, None
        target = self.node.after_match_variable
        if target not in variables:
            raise ValidationException.unknown(
                "Pattern variable", str(target), variables, where="AFTER MATCH", position=self.converter.position(self.node.span)
            )
        return (AfterMatch.TO_FIRST if self.node.after_match == "TO FIRST" else AfterMatch.TO_LAST), target

    def _within(self) -> int | None:
        if self.node.within is None:
            return None
        position = self.converter.position(self.node.within.span)
        resolved = ExpressionResolver(self.converter.session, Scope(), self.converter.text, "WITHIN").resolve(self.node.within)
        if not isinstance(resolved, ValueLiteralExpression) or not isinstance(resolved.output_type, DayTimeIntervalType):
            raise TableException("WITHIN needs a constant interval of days, hours, minutes or seconds.", position=position)
        length, rest = divmod(int(resolved.value), _NANOS_PER_MILLI)
        if length <= 0 or rest:
            raise ValidationException("WITHIN needs a positive interval of whole milliseconds.", position=position)
        return length

    # --- expressions --------------------------------------------------------------------------------------------------------------

    def _definition(
        self,
        item: PatternDefinitionNode,
        pattern: tuple[PatternVariable, ...],
        names: tuple[str, ...],
        expressions: PatternExpressions,
    ) -> PatternDefinition:
        certain = {item.variable}
        for variable in pattern:
            if variable.name == item.variable:
                break
            if variable.minimum:
                certain.add(variable.name)
        else:
            certain = {item.variable}
        resolver = self._resolver(names, frozenset(certain))
        resolved = resolver.resolve(item.condition)
        condition = as_boolean(resolved, f"DEFINE {item.variable}", self.converter.position(item.condition.span))
        return PatternDefinition(item.variable, self._convert(expressions, condition, resolver, item.condition, is_measure=False))

    def _measure(
        self, item: MeasureItem, names: tuple[str, ...], certain: frozenset[str], expressions: PatternExpressions
    ) -> PatternExpression:
        if item.semantics == "RUNNING":
            raise TableException(
                f"RUNNING of measure '{item.name}' is not supported.", hint="a measure is computed over the whole match: FINAL"
            )
        resolver = self._resolver(names, certain)
        return self._convert(expressions, resolver.resolve(item.expression), resolver, item.expression, is_measure=True)

    def _convert(
        self,
        expressions: PatternExpressions,
        resolved: ResolvedExpression,
        resolver: ExpressionResolver,
        written: UnresolvedExpression,
        *,
        is_measure: bool,
    ) -> PatternExpression:
        try:
            return expressions.convert(resolved, resolver.position_of, is_measure=is_measure)
        except (ValidationException, TableException) as error:
            raise error.at(self.converter.position(written.span)) from None

    def _resolver(self, names: tuple[str, ...], certain: frozenset[str]) -> ExpressionResolver:
        scope = PatternScope.over(self.child.resolved_schema, names, certain, [n for r in self.scope.relations for n in r.column_names])
        return ExpressionResolver(
            self.converter.session,
            scope,
            self.converter.text,
            is_global_aggregate=True,
            nested_queries=self.converter.convert_nested,
        )

    def _refuse_repeated(self, names: list[str], message: str) -> None:
        for name in names:
            if names.count(name) > 1:
                position: SourcePosition | None = self.converter.position(self.node.span)
                raise ValidationException(message.format(name), position=position)


def _variable(node: PatternNode) -> PatternVariable:
    quantifier = node.quantifier
    if quantifier is None:
        return PatternVariable(node.name)
    minimum, maximum = quantifier.minimum, quantifier.maximum
    if maximum is not None and (maximum == 0 or maximum < minimum):
        raise ValidationException(
            f"{node.name}{{{minimum},{maximum}}} matches no number of rows.", hint="{n,m} matches n to m rows; m is at least 1"
        )
    if (minimum, maximum) == (0, 1) and not quantifier.greedy:
        raise TableException(f"The reluctant {node.name}?? is not supported.", hint=f"{node.name}? matches a row if there is one")
    return PatternVariable(node.name, minimum, maximum, quantifier.greedy)
