"""ALTER CATALOG."""

from __future__ import annotations

from table_api.operations import Operation
from table_api.operations.ddl import AlterCatalogOperation
from table_api.sql.ast import AlterStatement, ResetOptions, SetComment, SetOptions
from table_api.sql.conversion.dispatch import StatementContext
from table_common.exceptions import TableInternalError, ValidationException


def alter_catalog(node: AlterStatement, context: StatementContext) -> Operation:
    """Returns the operation of ALTER CATALOG.

    Raises:
        ValidationException: nothing is altered, an option is given twice, or it is the type of the catalog.
    """
    name = node.path[0]
    match node.action:
        case SetComment(comment=comment):
            return AlterCatalogOperation(name, comment=comment)
        case SetOptions(options=pairs):
            keys = tuple(key for key, _ in pairs)
            operation = AlterCatalogOperation(name, dict(pairs))
        case ResetOptions(keys=keys):
            operation = AlterCatalogOperation(name, reset_keys=keys)
        case action:
            raise TableInternalError(f"ALTER CATALOG has the action {type(action).__name__}.")
    position = context.position(node.span)
    if not keys:
        raise ValidationException("ALTER CATALOG names no option.", position=position)
    if "type" in keys:
        raise ValidationException(
            f"The type of catalog '{name}' cannot be altered.", position=position, hint="DROP CATALOG it and create another one"
        )
    repeated = next((key for key in keys if keys.count(key) > 1), None)
    if repeated is not None:
        raise ValidationException(f"Option '{repeated}' is given twice.", position=position)
    return operation
