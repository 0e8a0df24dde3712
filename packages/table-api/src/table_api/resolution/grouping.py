"""Extracts aggregates from expressions: a projection of the arguments, the aggregate node, and expressions over its columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.operations import (
    AggregateCall,
    AggregateQueryOperation,
    FilterQueryOperation,
    JoinQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    SortOrder,
    ValuesQueryOperation,
)
from table_api.resolution.aggregate_expression import AggregateExpression
from table_api.resolution.key_types import check_key
from table_api.resolution.over.expression import WindowExpression
from table_api.resolution.unique_names import unique_names
from table_common.catalog import ResolvedSchema
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
    infer_call,
)
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates, arithmetic, comparison
from table_common.tree import transform_down, transform_up
from table_common.types import BigIntType, BooleanType


@dataclass
class Grouping:
    """Groups ``child`` by expressions; ``rewrite`` maps expressions over the child to expressions over the groups.

    All expressions must be rewritten before ``build`` is called, which uses the aggregates found so far.
    """

    child: QueryOperation
    group_by: Sequence[ResolvedExpression]
    position_of: Callable[[ResolvedExpression], SourcePosition | None]
    grouping_sets: tuple[tuple[int, ...], ...] | None = None
    copies: tuple[int, ...] = (1,)
    """How often each grouping set occurs in GROUP BY."""
    has_group_by: bool = True
    _inputs: dict[ResolvedExpression, int] = field(default_factory=dict)
    _calls: dict[AggregateExpression, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for expression in self.group_by:
            check_key("GROUP BY", expression, self.position_of(expression))
            self._input(expression)
        self._groups = {expression: position for position, expression in reversed(list(enumerate(self.group_by)))}

    def rewrite(self, expression: ResolvedExpression) -> ResolvedExpression:
        """Returns the expression over the columns of the aggregate.

        Raises:
            ValidationException: it uses a column that is neither grouped by nor inside an aggregate.
        """
        rewritten = transform_down(expression, ResolvedExpression, self._change)
        # Columns of grouping sets may be NULL where they were not before, and so may what is computed from them.
        return rewritten if self.grouping_sets is None else transform_up(rewritten, ResolvedExpression, _retyped)

    def rewrite_all(self, expressions: Sequence[ResolvedExpression]) -> list[ResolvedExpression]:
        """Returns each expression rewritten."""
        return [self.rewrite(expression) for expression in expressions]

    def group(
        self, expressions: Sequence[ResolvedExpression], condition: ResolvedExpression | None
    ) -> tuple[QueryOperation, list[ResolvedExpression]]:
        """Returns the groups for which the condition of HAVING is true, and the expressions over them."""
        rewritten = self.rewrite_all(expressions)
        condition = self.rewrite(condition) if condition is not None else None
        operation = self.build()
        if condition is not None:
            operation = FilterQueryOperation(self.place_grouping_id(condition), operation)
        return operation, [self.place_grouping_id(expression) for expression in rewritten]

    def build(self) -> QueryOperation:
        """Returns the aggregate over the child, with a projection below if an argument is more than a column.

        Repeated grouping sets are computed once: a join repeats their rows, and its last column is GROUP_ID.
        """
        inputs = list(self._inputs)
        if all(isinstance(expression, FieldReferenceExpression) for expression in inputs):
            source = self.child
            references = [e for e in inputs if isinstance(e, FieldReferenceExpression)]
        else:
            names = unique_names([e.name if isinstance(e, FieldReferenceExpression) else f"$f{i}" for i, e in enumerate(inputs)])
            source = ProjectQueryOperation(tuple(inputs), tuple(names), self.child)
            references = [
                FieldReferenceExpression(name, e.output_type, 0, i) for i, (name, e) in enumerate(zip(names, inputs, strict=True))
            ]
        grouping = tuple(references[self._inputs[expression]] for expression in self.group_by)
        # Without columns, an unused COUNT(*) produces the single row.
        calls = tuple(self._call(aggregate, references) for aggregate in self._calls) if self._has_columns else (_COUNT_ROWS,)
        aggregate = AggregateQueryOperation(grouping, calls, tuple(self._names()), source, self.grouping_sets)
        return aggregate if max(self.copies) == 1 else self._repeated(aggregate)

    def _repeated(self, aggregate: AggregateQueryOperation) -> QueryOperation:
        sets = [tuple(range(len(self.group_by)))] if self.grouping_sets is None else self.grouping_sets
        rows = [
            (_bigint(aggregate.grouping_id_of(positions)), _bigint(copy))
            for positions, count in zip(sets, self.copies, strict=True)
            for copy in range(count)
        ]
        schema = ResolvedSchema.physical((name, rows[0][0].output_type) for name in ("$copied_id", _GROUP_ID))
        condition = None
        if self.grouping_sets is not None:
            identifier = FieldReferenceExpression(AggregateQueryOperation.GROUPING_ID, rows[0][0].output_type, 0, self._width)
            condition = CallExpression(
                comparison.EQUALS,
                (identifier, FieldReferenceExpression("$copied_id", rows[0][0].output_type, 1, 0)),
                BooleanType(nullable=False),
            )
        return JoinQueryOperation(aggregate, ValuesQueryOperation(tuple(rows), schema), JoinType.INNER, condition)

    @property
    def _width(self) -> int:
        """The number of the keys and aggregates: the position of the grouping id, if there is one."""
        return len(self.group_by) + len(self._calls) if self._has_columns else 1

    @property
    def _has_columns(self) -> bool:
        return bool(self.group_by or self._calls)

    def _names(self) -> list[str]:
        names = [e.name if isinstance(e, FieldReferenceExpression) else f"$g{i}" for i, e in enumerate(self.group_by)]
        return unique_names([*names, *(f"$agg{i}" for i in range(self._width - len(names)))])

    def _call(self, aggregate: AggregateExpression, references: Sequence[FieldReferenceExpression]) -> AggregateCall:
        args, constants = _split_constants(aggregate)
        return AggregateCall(
            aggregate.function,
            tuple(references[self._inputs[arg]] for arg in args),
            aggregate.output_type,
            aggregate.distinct,
            references[self._inputs[aggregate.filter]] if aggregate.filter is not None else None,
            tuple(SortOrder(references[self._inputs[o.expression]], o.ascending, o.nulls_first) for o in aggregate.order_by),
            tuple(constant.value for constant in constants),
        )

    def _input(self, expression: ResolvedExpression) -> None:
        self._inputs.setdefault(expression, len(self._inputs))

    def _change(self, node: ResolvedExpression) -> ResolvedExpression:
        group = self._groups.get(node)
        if group is not None:
            optional = self.grouping_sets is not None and any(group not in one for one in self.grouping_sets)
            data_type = node.output_type.with_nullability(True) if optional else node.output_type
            return FieldReferenceExpression(self._group_name(group), data_type, 0, group)
        if isinstance(node, AggregateExpression) and node.function.aggregate_traits.is_of_grouping_sets:
            return self._grouping_function(node)
        if isinstance(node, AggregateExpression):
            args, _ = _split_constants(node)
            for arg in (*args, *([node.filter] if node.filter is not None else []), *(order.expression for order in node.order_by)):
                self._input(arg)
            call = self._calls.setdefault(node, len(self._calls))
            return FieldReferenceExpression(f"$agg{call}", node.output_type, 0, len(self.group_by) + call)
        if isinstance(node, FieldReferenceExpression) and node.field_index >= 0:
            raise ValidationException(
                f"Column '{node.name}' is neither in GROUP BY nor inside an aggregate.",
                position=self.position_of(node),
                hint=f"add it to GROUP BY, or aggregate it, as in MAX({node.name})",
            )
        return node

    def _grouping_function(self, node: AggregateExpression) -> ResolvedExpression:
        """Returns GROUPING and GROUPING_ID over the aggregate's grouping id: one bit for each argument, 1 if it is not in the set.

        GROUP_ID is the number of the copy, counted from 0, of a grouping set that is written several times.
        """
        if not self.has_group_by:
            raise ValidationException(f"{node.function.name} can only be used with GROUP BY.", position=self.position_of(node))
        positions = []
        for arg in node.args:
            if arg not in self._groups:
                raise ValidationException(
                    f"{node.function.name} takes expressions of GROUP BY, but {arg} is not one of them.", position=self.position_of(node)
                )
            positions.append(self._groups[arg])
        width = len(self.group_by)
        total: ResolvedExpression = _bigint(0)
        # The ids follow all aggregates, whose number is known only after all expressions are rewritten.
        if not node.args and max(self.copies) > 1:
            return FieldReferenceExpression(_GROUP_ID, total.output_type, 0, _GROUP_ID_POSITION)
        if self.grouping_sets is None:
            return total
        identifier = FieldReferenceExpression(AggregateQueryOperation.GROUPING_ID, total.output_type, 0, _GROUPING_ID_POSITION)
        for place, position in enumerate(positions):
            bit = _call(arithmetic.MOD, _call(arithmetic.DIVIDE, identifier, _bigint(1 << (width - 1 - position))), _bigint(2))
            weighted = _call(arithmetic.TIMES, bit, _bigint(1 << (len(positions) - 1 - place)))
            total = weighted if place == 0 else _call(arithmetic.PLUS, total, weighted)
        return total

    def place_grouping_id(self, expression: ResolvedExpression) -> ResolvedExpression:
        """Returns a rewritten expression with the final positions of GROUPING_ID and GROUP_ID; called after all expressions are rewritten."""
        if self.grouping_sets is None and max(self.copies) == 1:
            return expression
        copy = self._width + (0 if self.grouping_sets is None else 1) + 1
        places = {_GROUPING_ID_POSITION: self._width, _GROUP_ID_POSITION: copy}

        def change(node: ResolvedExpression) -> ResolvedExpression:
            if isinstance(node, FieldReferenceExpression) and node.field_index < 0:
                return replace(node, field_index=places[node.field_index])
            return node

        return transform_up(expression, ResolvedExpression, change)

    def _group_name(self, position: int) -> str:
        expression = self.group_by[position]
        return expression.name if isinstance(expression, FieldReferenceExpression) else f"$g{position}"


_GROUPING_ID_POSITION = -1
_GROUP_ID_POSITION = -2
_GROUP_ID = "$group_id"
_COUNT_ROWS = AggregateCall(aggregates.COUNT, (), BigIntType(nullable=False))


def _bigint(value: int) -> ResolvedExpression:
    return ValueLiteralExpression(value, BigIntType(nullable=False))


def _call(function: FunctionDefinition, *args: ResolvedExpression) -> ResolvedExpression:
    return CallExpression(function, args, BigIntType(nullable=False))


def _retyped(node: ResolvedExpression) -> ResolvedExpression:
    if isinstance(node, WindowExpression):
        return node.typed()
    if not isinstance(node, CallExpression) or node.output_type.nullable or not any(arg.output_type.nullable for arg in node.args):
        return node
    if any(isinstance(arg, TypeLiteralExpression) for arg in node.args):  # CAST: keeps the nullability of its argument
        target = node.output_type.with_nullability(True)
        return replace(node, args=(node.args[0], TypeLiteralExpression(target)), output_type=target)
    return replace(node, output_type=node.output_type.with_nullability(infer_call(node.function, node.args).output_type.nullable))


def _split_constants(aggregate: AggregateExpression) -> tuple[list[ResolvedExpression], list[ValueLiteralExpression]]:
    """Returns the arguments that are columns, and the constants after them.

    COUNT does not need constants that are not NULL: ``COUNT(1)`` counts rows as ``COUNT(*)`` does, and ``COUNT(1, a)`` as ``COUNT(a)``.
    """
    args = list(aggregate.args)
    constants: list[ValueLiteralExpression] = []
    while len(args) > 1 and aggregate.function.aggregate_traits.has_parameters:
        last = args[-1]
        if not isinstance(last, ValueLiteralExpression):
            break
        constants.insert(0, last)
        args.pop()
    if aggregate.function is aggregates.COUNT and not aggregate.distinct:
        args = [arg for arg in args if not (isinstance(arg, ValueLiteralExpression) and arg.value is not None)]
    return args, constants
