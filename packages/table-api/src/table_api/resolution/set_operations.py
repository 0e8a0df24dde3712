"""Set operations: the common types of the inputs, and one node for a chain of one operation."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import ProjectQueryOperation, QueryOperation, SetOperationType, SetQueryOperation
from table_api.resolution.casting import cast_to, same_type
from table_api.resolution.key_types import check_key_column
from table_api.resolution.sorted_projection import references_to
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import replace
from table_common.types import BinaryStringType, CharacterType, LogicalType, NullType, find_common_type, plain_timestamp


def set_operation(
    kind: SetOperationType, all_: bool, inputs: Sequence[QueryOperation], positions: Sequence[SourcePosition | None]
) -> QueryOperation:
    """Returns ``first kind second kind third …`` as one node; all inputs are cast to common types.

    Types are merged from left to right, and the columns of an input are cast through the intermediate types, as if each pair were a node.
    INTERSECT and EXCEPT compare values of the types at their place in the chain: they become several nodes where these change.

    Raises:
        ValidationException: the inputs have different numbers of columns, or types without a common type.
    """
    # Differs from Flink: UNION ALL keeps a time attribute if all inputs have it in one type; in Flink the first input decides, whatever the others have.
    first, *others = inputs
    if len(others) == 1 and isinstance(first, SetQueryOperation) and (first.kind, first.all) == (kind, all_):
        if _types_are(others[0], first.types):
            return replace(first, inputs=(*first.inputs, others[0]))
        if kind is SetOperationType.UNION:
            return set_operation(kind, all_, (*first.inputs, *others), positions)
    columns = first.resolved_schema.columns
    steps = [[column.data_type] for column in columns]
    starts = [[0] * len(columns)]
    for other, position in zip(others, [*positions, *[positions[-1]] * (len(others) - len(positions))], strict=True):
        done = len(starts)
        found = other.resolved_schema.columns
        if len(found) != len(columns):
            raise ValidationException(
                f"{kind.value} needs two queries with the same number of columns, but the left has {len(columns)} and the right {len(found)}.",
                position=position,
            )
        merged_types = [
            _common_type([types[-1], column.data_type], f"column {number + 1} ('{columns[number].name}') of {kind.value}", position)
            for number, (column, types) in enumerate(zip(found, steps, strict=True))
        ]
        changes = not all(_holds_as_is(types[-1], merged) for types, merged in zip(steps, merged_types, strict=True))
        if changes and done > 1 and kind is not SetOperationType.UNION:
            before = set_operation(kind, all_, inputs[:done], positions[: done - 1])
            return set_operation(kind, all_, [before, *inputs[done:]], positions[done - 1 :])
        for merged, types in zip(merged_types, steps, strict=True):
            if _holds_as_is(types[-1], merged):
                types[-1] = merged
            else:
                types.append(merged)
        starts.append([len(types) - 1 for types in steps])
    final = tuple(types[-1] for types in steps)
    if not (kind is SetOperationType.UNION and all_):
        for column, type_ in zip(columns, final, strict=True):
            check_key_column(kind.value.upper(), column.name, type_, positions[0])
    return SetQueryOperation(
        tuple(
            _through(one, [types[start:] for types, start in zip(steps, at, strict=True)]) for one, at in zip(inputs, starts, strict=True)
        ),
        kind,
        all_,
        final,
    )


def _holds_as_is(given: LogicalType, merged: LogicalType) -> bool:
    """Returns whether the cast to the first type can be omitted before the cast to the second."""
    return same_type(given, merged) or (isinstance(given, (CharacterType, BinaryStringType)) and type(given) is type(merged))


def _types_are(query: QueryOperation, types: Sequence[LogicalType]) -> bool:
    return query.resolved_schema.column_types == tuple(types)


def _through(child: QueryOperation, types: Sequence[Sequence[LogicalType]]) -> QueryOperation:
    """Returns the child with each column cast to its types, one after the other."""
    schema = child.resolved_schema
    columns = list(references_to(schema))
    if all(same_type(column.data_type, one) for column, steps in zip(schema.columns, types, strict=True) for one in steps):
        return child
    casts = []
    for column, steps in zip(columns, types, strict=True):
        value: ResolvedExpression = column
        for one in steps:
            value = cast_to(value, one)
        casts.append(value)
    return ProjectQueryOperation(tuple(casts), schema.column_names, child)


def cast_columns(child: QueryOperation, types: Sequence[LogicalType], names: Sequence[str] | None = None) -> QueryOperation:
    """Returns the child with its columns cast, and perhaps renamed; the child itself if nothing changes."""
    schema = child.resolved_schema
    renamed = names is not None and tuple(names) != schema.column_names
    if not renamed and all(same_type(c.data_type, t) for c, t in zip(schema.columns, types, strict=True)):
        return child
    columns = tuple(cast_to(reference, t) for reference, t in zip(references_to(schema), types, strict=True))
    return ProjectQueryOperation(columns, tuple(names) if names is not None else schema.column_names, child)


def _common_type(types: Sequence[LogicalType], where: str, position: SourcePosition | None = None) -> LogicalType:
    """Returns the type that holds the values of all types.

    Raises:
        ValidationException: there is none; the message names ``where``.
    """
    common = find_common_type(types)
    if common is None:
        distinct_types = list(dict.fromkeys(str(plain_timestamp(t)) for t in types))
        raise ValidationException(
            f"The types {', '.join(distinct_types)} of {where} have no common type.", position=position, hint="CAST them"
        )
    return common


def type_of_values(types: Sequence[LogicalType], where: str) -> LogicalType:
    """Returns the common type of a column of VALUES; that of NULLs alone is NULL."""
    distinct = list(dict.fromkeys(types))
    # Differs from Flink: NULLs alone are a column of VALUES, so that INSERT INTO t VALUES (1, NULL) needs no CAST.
    return distinct[0] if len(distinct) == 1 and isinstance(distinct[0], NullType) else _common_type(distinct, where)
