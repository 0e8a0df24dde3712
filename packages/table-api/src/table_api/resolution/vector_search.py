"""VECTOR_SEARCH: its arguments, and the call of a table function over the vector that it is.

The call has the name of the searched table until ``plan/rules/plan_vector_searches.py`` creates its source and what searches in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_api.delegation import Session
from table_api.expressions.unresolved import Literal, Span, UnresolvedExpression
from table_api.operations import (
    ProjectQueryOperation,
    QueryOperation,
    SourceQueryOperation,
    WatermarkQueryOperation,
)
from table_api.resolution.batch_calls import BatchFunction
from table_api.resolution.call_arguments import Positions, descriptor_columns, named_arguments
from table_api.resolution.casting import cast_to
from table_api.resolution.model_prediction import unique_output_names
from table_api.resolution.user_calls import for_session
from table_common.connector import PredictTableFunction, VectorSearchCall
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.functions import UserFunction
from table_common.tree import by_class
from table_common.types import NUMERICS, ArrayType, DoubleType, FloatType, LogicalType, RowType

NAME = "VECTOR_SEARCH"
ARGUMENTS = ("search_table", "column_to_search", "column_to_query", "top_k", "config")
SIGNATURE = "VECTOR_SEARCH(TABLE v, DESCRIPTOR(column), query_vector, top_k[, MAP['key', 'value', …]])"
SCORE = "score"


class UnplannedSearch(PredictTableFunction):
    """The function of a search before its source is created."""

    def __init__(self, call: VectorSearchCall, scan: SourceQueryOperation, *, is_streaming: bool) -> None:
        super().__init__(call, None)  # type: ignore[arg-type]  # it is replaced before it is opened
        self.is_streaming = is_streaming
        self.search = call
        self.scan = scan


def search_arguments(args: Sequence[UnresolvedExpression], position: Positions) -> dict[str, UnresolvedExpression]:
    """Returns the arguments of a call by name, without those that are DEFAULT or NULL; the column and the vector may come in either order.

    Raises:
        ValidationException: an argument is unknown, missing, given twice, or by position among ones by name.
    """
    given = named_arguments(NAME, ARGUMENTS, 4, args, position, SIGNATURE)
    column, query = given["column_to_search"], given["column_to_query"]
    if descriptor_columns(column) is None and descriptor_columns(query) is not None:
        # Differs from Flink: the second argument is DESCRIPTOR there, but its page shows both orders.
        given["column_to_search"], given["column_to_query"] = query, column
    return given


def top_k_of(value: UnresolvedExpression, position: Positions) -> int:
    """Returns the number of rows of a search.

    Raises:
        ValidationException: it is no positive integer, or no literal.
    """
    number = value.value if isinstance(value, Literal) else None
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise ValidationException(
            f"The argument 'top_k' of {NAME} must be a positive integer literal.", position=position(value.span), hint=SIGNATURE
        )
    return number


def searched_scan(table: QueryOperation, position: Positions, span: Span | None) -> SourceQueryOperation:
    """Returns the scan of the search table.

    Raises:
        ValidationException: the table is a query, or has computed or metadata columns.
    """
    scan = _scan(table)
    if scan is None:
        raise ValidationException(
            f"The argument 'search_table' of {NAME} must be a table with columns of its own only, but it is a query, or has computed or metadata columns.",
            position=position(span),
            hint="write it as TABLE v; filter the rows that are found, and write the rows of a query to a table before they are searched",
        )
    return scan


def search(
    session: Session,
    scan: SourceQueryOperation,
    column: tuple[str, Span | None],
    query: ResolvedExpression,
    query_span: Span | None,
    top_k: int,
    config: Mapping[str, str],
    position: Positions,
) -> CallExpression:
    """Returns the call that gives the nearest rows of the table with their scores, as an array.

    Raises:
        ValidationException: the column does not exist or holds no vectors, or the query is no vector.
    """
    columns = scan.resolved_schema.columns
    name, span = column
    found = next((one for one in columns if one.name == name), None)
    table = scan.table.identifier
    if found is None:
        raise ValidationException.unknown(
            "Column", name, [one.name for one in columns], where=f"{table.as_summary_string()}, the search table of {NAME}"
        ).at(position(span))
    vector = _vector_type(found.data_type)
    if vector is None:
        raise ValidationException(
            f"The argument 'column_to_search' of {NAME} must be a column of vectors, ARRAY<FLOAT> or ARRAY<DOUBLE>, but '{name}' is "
            f"{found.data_type.summary()}.",
            position=position(span),
        )
    if not isinstance(query.output_type, ArrayType) or not isinstance(query.output_type.element_type, NUMERICS):
        raise ValidationException(
            f"The argument 'column_to_query' of {NAME} must be a vector like '{name}', {vector.summary()} or of other numbers, but it is "
            f"{query.output_type.summary()}.",
            position=position(query_span),
            hint=f"CAST(… AS {ArrayType(vector.element_type.with_nullability(True)).summary()}), or ARRAY[1, 2]",
        )
    element = vector.element_type.with_nullability(query.output_type.element_type.nullable)
    argument = cast_to(query, ArrayType(element))
    names = [one.name for one in columns]
    (score,) = unique_output_names(names, (SCORE,))
    outputs = RowType.of([*((one.name, one.data_type) for one in columns), (score, DoubleType())], nullable=False)
    inputs = RowType.of([(name, argument.output_type)], nullable=False)
    call = VectorSearchCall(table.parts, name, top_k, inputs, outputs, tuple(config.items()))
    return search_expression(session, UnplannedSearch(call, scan, is_streaming=session.is_streaming_mode), call, argument)


def search_expression(session: Session, function: BatchFunction, call: VectorSearchCall, argument: ResolvedExpression) -> CallExpression:
    """Returns the call of a function of a search."""
    options = "".join(f", '{key}' = '{value}'" for key, value in call.config)
    name = f"{NAME}(TABLE {'.'.join(call.table)}, DESCRIPTOR({call.column}), {call.top_k}{options})"
    definition = for_session(UserFunction(function, name, deterministic=False), session)
    return CallExpression(definition, (argument,), ArrayType(call.outputs))


@by_class
def _scan(node: QueryOperation) -> SourceQueryOperation | None:
    """Returns the scan whose columns the node has; None if it has others."""
    return None


@_scan.register(SourceQueryOperation)
def _scan_itself(node: SourceQueryOperation) -> SourceQueryOperation | None:
    return node


@_scan.register(WatermarkQueryOperation)
def _scan_below_watermark(node: WatermarkQueryOperation) -> SourceQueryOperation | None:
    return _scan(node.child)


@_scan.register(ProjectQueryOperation)
def _scan_below_projection(node: ProjectQueryOperation) -> SourceQueryOperation | None:
    is_trivial = tuple(node.resolved_schema.column_names) == tuple(node.child.resolved_schema.column_names) and all(
        isinstance(one, FieldReferenceExpression) and one.field_index == index for index, one in enumerate(node.projection)
    )
    return _scan(node.child) if is_trivial else None


def _vector_type(type_: LogicalType) -> ArrayType | None:
    return type_ if isinstance(type_, ArrayType) and isinstance(type_.element_type, FloatType | DoubleType) else None
