"""ML_PREDICT in FROM: ``ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(text), MAP['async', 'true'])``, also within TABLE()."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.expressions.unresolved import Call, QueryArgument, Subquery, SubqueryKind
from table_api.operations import QueryOperation
from table_api.resolution.model_prediction import NAME, columns_of, config_of, model_path, predict, predict_arguments
from table_api.resolution.scope import Scope
from table_api.sql.ast import QueryNode, TableFunctionRef
from table_common.exceptions import TableError, ValidationException

if TYPE_CHECKING:
    from table_api.sql.conversion.query_context import FromClause


def convert_prediction(clause: FromClause, node: TableFunctionRef) -> tuple[QueryOperation, Scope]:
    """Returns the rows of a table with a model's columns.

    Raises:
        ValidationException: an argument is missing, unknown or of the wrong kind.
        CatalogException: the model does not exist.
    """
    assert isinstance(node.call, Call)
    converter = clause.converter
    position = converter.position
    try:
        given = predict_arguments(node.call.args, position)
    except ValidationException as error:
        raise error.at(position(node.call.span)) from None
    data = given["input"]
    if isinstance(data, Subquery) and data.kind is SubqueryKind.SCALAR:
        data = QueryArgument(data.query, span=data.span)
    if not isinstance(data, QueryArgument) or not isinstance(data.query, QueryNode):
        raise ValidationException(
            f"The argument 'input' of {NAME} must be a table: TABLE t, or a query in parentheses.", position=position(data.span)
        )
    if data.partition_by or data.order_by:
        what = "PARTITION BY" if data.partition_by else "ORDER BY"
        raise ValidationException(f"The table of {NAME} does not accept {what}: each row is predicted alone.", position=position(data.span))
    child = converter.nested().convert(data.query)
    converter.written.require_different(child, f"the table of {NAME}", position(data.span))
    model = given["model"]
    try:
        found = converter.session.models.get(model_path(model, position))
    except TableError as error:
        raise error.at(position(model.span)) from None
    columns = columns_of(given["args"], position)
    config = config_of(given.get("config"), position)
    try:
        operation = predict(converter.session, child, found[:2], columns, config, position)
    except ValidationException as error:
        raise error.at(position(node.call.span)) from error.__cause__
    return clause.named(node, operation, ())
