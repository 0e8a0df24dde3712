"""Unique keys: sets of columns in which no two rows of a query have equal values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from table_api.operations import (
    AggregateQueryOperation,
    CumulateWindow,
    DistinctQueryOperation,
    FilterQueryOperation,
    HopWindow,
    JoinQueryOperation,
    JoinType,
    LookupJoinQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    SetOperationType,
    SetQueryOperation,
    SortQueryOperation,
    SourceQueryOperation,
    TemporalJoinQueryOperation,
    UnnestQueryOperation,
    ValuesQueryOperation,
    VersionedJoinQueryOperation,
    WatermarkQueryOperation,
    WindowQueryOperation,
    WindowTableFunctionQueryOperation,
)
from table_api.operations.changelog import (
    ChangelogNormalizeQueryOperation,
    CurrentRowsJoinQueryOperation,
    DeduplicateQueryOperation,
    DropUpdateBeforeQueryOperation,
    IntervalJoinQueryOperation,
    OverAggregateQueryOperation,
    RankQueryOperation,
    TemporalSortQueryOperation,
    UpdatingOverQueryOperation,
    WindowAggregateQueryOperation,
    WindowJoinQueryOperation,
    WindowRankQueryOperation,
)
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression, conjuncts
from table_common.functions.builtin import comparison, conversion, windows
from table_common.tree import TypeDispatch, fold
from table_common.types import APPROXIMATE_NUMERICS, LogicalType, is_injective_cast

__all__ = ["Key", "Keys", "equal_columns", "equal_pairs", "identifying_column", "unique_keys"]

Key = frozenset[int]
"""Positions of columns; the empty key means at most one row."""
Keys = frozenset[Key]

_MOST = 32
"""The maximum number of keys per node; the shortest are kept. Joins multiply the number of keys."""
_NO_KEYS: Keys = frozenset()

_keys: TypeDispatch[[Sequence[Keys]], Keys] = TypeDispatch("Keys")


def unique_keys(root: QueryOperation) -> Mapping[int, Keys]:
    """Returns the minimal unique keys of each node, by the node's identity.

    Two values are the same if GROUP BY puts them into one group: NULL equals NULL. Keys of sources are their declared primary keys, which nobody
    checks. A node of an unknown class, such as one that an engine adds, has no keys.
    """
    found: dict[int, Keys] = {}

    def combine(node: QueryOperation, inputs: Sequence[Keys]) -> Keys:
        keys = _NO_KEYS if _keys.missing([type(node)]) else _smallest(_keys(node, inputs))
        found[id(node)] = keys
        return keys

    fold(root, QueryOperation, combine)
    return found


def _smallest(keys: Iterable[Key]) -> Keys:
    """Returns the keys that contain no other key."""
    result: list[Key] = []
    for key in sorted(set(keys), key=lambda key: (len(key), sorted(key))):
        if not any(other <= key for other in result):
            result.append(key)
        if len(result) == _MOST:
            break
    return frozenset(result)


def _same(node: QueryOperation, inputs: Sequence[Keys]) -> Keys:
    return inputs[0]


@_keys.register(SourceQueryOperation)
def _source(node: SourceQueryOperation, inputs: Sequence[Keys]) -> Keys:
    primary_key = node.table.table.resolved_schema.primary_key
    if primary_key is None:
        return _NO_KEYS
    positions = {name: position for position, name in enumerate(node.resolved_schema.column_names)}
    if not all(name in positions for name in primary_key.columns):
        return _NO_KEYS
    return frozenset({frozenset(positions[name] for name in primary_key.columns)})


@_keys.register(ValuesQueryOperation)
def _values(node: ValuesQueryOperation, inputs: Sequence[Keys]) -> Keys:
    return frozenset({frozenset()}) if len(node.rows) <= 1 else _NO_KEYS


_keys.register(WatermarkQueryOperation)(_same)


@_keys.register(FilterQueryOperation)
def _filter(node: FilterQueryOperation, inputs: Sequence[Keys]) -> Keys:
    constant = _constant_columns(node.condition)
    return frozenset(key - constant for key in inputs[0])


def _constant_columns(condition: ResolvedExpression) -> Key:
    """Returns the columns that are constant in all rows that satisfy the condition."""
    found = set()
    for part in conjuncts(condition):
        if not isinstance(part, CallExpression) or part.function not in (comparison.EQUALS, comparison.IS_NULL):
            continue
        references = [argument for argument in part.args if isinstance(argument, FieldReferenceExpression)]
        literals = [argument for argument in part.args if isinstance(argument, ValueLiteralExpression)]
        if len(references) != 1 or len(references) + len(literals) < len(part.args):
            continue
        # 0.0 equals -0.0, but they are two groups; many decimals equal one DOUBLE.
        if part.function is comparison.IS_NULL or not any(isinstance(arg.output_type, APPROXIMATE_NUMERICS) for arg in part.args):
            found.add(references[0].field_index)
    return frozenset(found)


@_keys.register(ProjectQueryOperation)
def _project(node: ProjectQueryOperation, inputs: Sequence[Keys]) -> Keys:
    positions: dict[int, list[int]] = {}
    for position, expression in enumerate(node.projection):
        column = identifying_column(expression)
        if column is not None:
            positions.setdefault(column, []).append(position)
    return frozenset(_moved(inputs[0], positions))


def identifying_column(expression: ResolvedExpression) -> int | None:
    """Returns the column if the expression is injective in it: the column itself, or a cast that keeps different values different."""
    while isinstance(expression, CallExpression) and expression.function in (conversion.CAST, conversion.TRY_CAST):
        argument = expression.args[0]
        if not is_injective_cast(argument.output_type, expression.output_type):
            return None
        expression = argument
    return expression.field_index if isinstance(expression, FieldReferenceExpression) else None


def _moved(keys: Keys, positions: Mapping[int, Sequence[int]]) -> Iterable[Key]:
    """Yields the keys at their new positions; skips keys with a column that is not projected."""
    for key in keys:
        if all(column in positions for column in key):
            choices = product(*(positions[column] for column in sorted(key)))
            for number, choice in enumerate(choices):
                if number == _MOST:
                    break
                yield frozenset(choice)


@_keys.register(AggregateQueryOperation)
def _aggregate(node: AggregateQueryOperation, inputs: Sequence[Keys]) -> Keys:
    width = len(node.grouping)
    if node.grouping_sets is not None:
        if len(set(map(frozenset, node.grouping_sets))) < len(node.grouping_sets):
            return _NO_KEYS  # a grouping set that is listed twice emits its rows twice
        # The last column, the id of the grouping set, distinguishes a column outside the set from a NULL value.
        return frozenset({frozenset((*range(width), len(node.resolved_schema.columns) - 1))})
    positions: dict[int, list[int]] = {}
    for position, reference in enumerate(node.grouping):
        positions.setdefault(reference.field_index, []).append(position)
    return frozenset({frozenset(range(width)), *_moved(inputs[0], positions)})


_keys.register(WindowAggregateQueryOperation)(_aggregate)


@_keys.register(DistinctQueryOperation)
def _distinct(node: DistinctQueryOperation, inputs: Sequence[Keys]) -> Keys:
    return inputs[0] | {frozenset(range(len(node.resolved_schema.columns)))}


@_keys.register(SortQueryOperation)
def _sort(node: SortQueryOperation, inputs: Sequence[Keys]) -> Keys:
    return frozenset({frozenset()}) if node.fetch is not None and node.fetch <= 1 else inputs[0]


_keys.register(TemporalSortQueryOperation)(_same)


@_keys.register(WindowQueryOperation)
def _window(node: WindowQueryOperation, inputs: Sequence[Keys]) -> Keys:
    width = len(node.child.resolved_schema.columns)
    partition = frozenset(reference.field_index for reference in node.partition_by)
    numbered = [partition | {width + position} for position, call in enumerate(node.calls) if call.function is windows.ROW_NUMBER]
    return inputs[0] | frozenset(numbered)


_keys.register(OverAggregateQueryOperation)(_window)
_keys.register(UpdatingOverQueryOperation)(_same)  # while row numbers are updated, two rows may have the same one


@_keys.register(RankQueryOperation)
def _rank(node: RankQueryOperation, inputs: Sequence[Keys]) -> Keys:
    partition = frozenset(reference.field_index for reference in node.partition_by)
    result = set(inputs[0])
    if node.function is windows.ROW_NUMBER:
        if node.end is not None and node.end == node.start:
            result.add(partition)
        if node.rank_name is not None:
            result.add(partition | {len(node.child.resolved_schema.columns)})
    return frozenset(result)


_keys.register(WindowRankQueryOperation)(_rank)


@_keys.register(DeduplicateQueryOperation)
def _deduplicate(node: DeduplicateQueryOperation, inputs: Sequence[Keys]) -> Keys:
    return inputs[0] | {frozenset(reference.field_index for reference in node.keys)}


@_keys.register(ChangelogNormalizeQueryOperation)
def _changelog_normalize(node: ChangelogNormalizeQueryOperation, inputs: Sequence[Keys]) -> Keys:
    return inputs[0] | {frozenset(reference.field_index for reference in node.key)}


_keys.register(DropUpdateBeforeQueryOperation)(_same)


@_keys.register(WindowTableFunctionQueryOperation)
def _window_table_function(node: WindowTableFunctionQueryOperation, inputs: Sequence[Keys]) -> Keys:
    width = len(node.child.resolved_schema.columns)
    if isinstance(node.window, HopWindow):  # the windows of a row differ in their start
        return frozenset(key | {width} for key in inputs[0])
    if isinstance(node.window, CumulateWindow):  # the windows of a row differ in their end
        return frozenset(key | {width + 1} for key in inputs[0])
    return inputs[0]


@_keys.register(UnnestQueryOperation)
def _unnest(node: UnnestQueryOperation, inputs: Sequence[Keys]) -> Keys:
    if not node.with_ordinality:
        return _NO_KEYS
    last = len(node.resolved_schema.columns) - 1
    return frozenset(key | {last} for key in inputs[0])


@_keys.register(SetQueryOperation)
def _set(node: SetQueryOperation, inputs: Sequence[Keys]) -> Keys:
    every = _NO_KEYS if node.all else frozenset({frozenset(range(len(node.resolved_schema.columns)))})
    match node.kind:
        case SetOperationType.UNION:
            return every
        case SetOperationType.INTERSECT:
            return every.union(*(_of_same_type(node, child, keys) for child, keys in zip(node.inputs, inputs, strict=True)))
        case SetOperationType.MINUS:
            return every | _of_same_type(node, node.inputs[0], inputs[0])


def _of_same_type(node: SetQueryOperation, child: QueryOperation, keys: Keys) -> Keys:
    """Returns the keys of an input whose columns are not cast, because a cast may make different values equal."""
    types = child.resolved_schema.column_types
    return frozenset(key for key in keys if all(_is_same_type(types[column], node.types[column]) for column in key))


def _is_same_type(one: LogicalType, other: LogicalType) -> bool:
    return one.with_nullability(True) == other.with_nullability(True)


@_keys.register(JoinQueryOperation)
def _join(node: JoinQueryOperation, inputs: Sequence[Keys]) -> Keys:
    left, right = inputs
    kind = node.join_type
    if kind in (JoinType.SEMI, JoinType.ANTI):
        return left
    width = len(node.left.resolved_schema.columns)
    (left_columns, right_columns), _ = equal_columns(node.condition)
    shifted = frozenset(frozenset(column + width for column in key) for key in right)
    result: set[Key] = set()
    # If each row has at most one match, the keys of its side remain, unless the join adds unmatched rows of the other side.
    if kind in (JoinType.INNER, JoinType.LEFT_OUTER) and any(key <= right_columns for key in right):
        result |= left
    if kind in (JoinType.INNER, JoinType.RIGHT_OUTER) and any(key <= left_columns for key in left):
        result |= shifted
    for one, other in product(left, shifted):
        if (
            kind is not JoinType.FULL_OUTER
            or _has_not_null(node.left, one)
            or _has_not_null(node.right, {column - width for column in other})
        ):
            result.add(one | other)
    return frozenset(result)


_keys.register(TemporalJoinQueryOperation)(_join)
_keys.register(CurrentRowsJoinQueryOperation)(_join)
_keys.register(WindowJoinQueryOperation)(_join)
_keys.register(IntervalJoinQueryOperation)(_join)


@_keys.register(VersionedJoinQueryOperation)
def _versioned_join(node: VersionedJoinQueryOperation, inputs: Sequence[Keys]) -> Keys:
    return inputs[0]  # a row has at most one version


@_keys.register(LookupJoinQueryOperation)
def _lookup_join(node: LookupJoinQueryOperation, inputs: Sequence[Keys]) -> Keys:
    primary_key = node.side.source_schema.primary_key
    if primary_key is None:
        return _NO_KEYS
    names = node.side.source_schema.column_names
    compared = {names[key.column] for key in node.keys}
    return inputs[0] if compared.issuperset(primary_key.columns) else _NO_KEYS


def equal_columns(condition: ResolvedExpression | None) -> tuple[tuple[Key, Key], bool]:
    """Returns the columns of both sides that a condition compares for equality, and whether the condition has other conjuncts."""
    pairs = equal_pairs(condition)
    has_more = condition is not None and len(pairs) < len(conjuncts(condition))
    return (frozenset(left for left, _ in pairs), frozenset(right for _, right in pairs)), has_more


def equal_pairs(condition: ResolvedExpression | None) -> list[tuple[int, int]]:
    """Returns the pairs of a left and a right column that a condition compares for equality."""
    compared = map(_compared_columns, conjuncts(condition) if condition is not None else ())
    return [columns for columns in compared if columns is not None]


def _compared_columns(part: ResolvedExpression) -> tuple[int, int] | None:
    """Returns the left and the right column of an equality conjunct; None for other conjuncts."""
    if not isinstance(part, CallExpression) or part.function not in (comparison.EQUALS, comparison.IS_NOT_DISTINCT_FROM):
        return None
    one, other = part.args
    if not isinstance(one, FieldReferenceExpression) or not isinstance(other, FieldReferenceExpression):
        return None
    if one.input_index == other.input_index or not _is_same_type(one.output_type, other.output_type):
        return None
    if isinstance(one.output_type, APPROXIMATE_NUMERICS):  # 0.0 equals -0.0, but they are two groups
        return None
    if one.input_index == 1:
        one, other = other, one
    return one.field_index, other.field_index


def _has_not_null(node: QueryOperation, key: Iterable[int]) -> bool:
    types = node.resolved_schema.column_types
    return any(not types[column].nullable for column in key)
