"""Files in FROM: ``FROM 'a.parquet'`` and ``read_csv('a.csv', header => TRUE)``, an extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.expressions.unresolved import Call, Literal, NamedArgument, UnresolvedExpression
from table_api.operations import QueryOperation
from table_api.resolution.scope import Scope
from table_api.sql.ast import TableFunctionRef, TableRef
from table_common.exceptions import ValidationException
from table_common.types import CharacterType

if TYPE_CHECKING:
    from table_api.sql.conversion.query_context import FromClause


def convert_file_function(clause: FromClause, node: TableFunctionRef, format_: str) -> tuple[QueryOperation, Scope]:
    """Returns the rows of the files; named arguments are options of the format, with ``_`` for ``-``.

    Raises:
        ValidationException: an argument is wrong, or there is no such file.
    """
    assert isinstance(node.call, Call)
    name = f"READ_{format_.upper()}"
    position = clause.converter.position(node.call.span or node.span)
    paths = [argument for argument in node.call.args if not isinstance(argument, NamedArgument)]
    path = paths[0].value if len(paths) == 1 and isinstance(paths[0], Literal) and isinstance(paths[0].type, CharacterType) else None
    if not isinstance(path, str) or not path:
        raise ValidationException(
            f"{name} takes the path of a file as text, and options of the format by name.",
            position=position,
            hint=f"{name.lower()}('data/*.csv'), read_csv('a.csv', field_delimiter => ';', header => TRUE)",
        )
    options = {
        argument.name.lower().replace("_", "-"): _text(argument.value) for argument in node.call.args if isinstance(argument, NamedArgument)
    }
    wrong = next((key for key, value in options.items() if value is None), None)
    if wrong is not None:
        raise ValidationException(f"The option '{wrong}' of {name} must be a constant.", position=position)
    return scan_files(clause, node, format_, path, {key: value for key, value in options.items() if value is not None})


def scan_files(clause: FromClause, node: TableRef, format_: str | None, path: str, options: dict[str, str]) -> tuple[QueryOperation, Scope]:
    """Returns the rows of the files of a path; without a format, in that of the file's name.

    Raises:
        ValidationException: there is no such file, or an option is wrong.
    """
    converter = clause.converter
    try:
        table = converter.session.file_table(format_, path, options)
    except ValidationException as error:
        call = node.call if isinstance(node, TableFunctionRef) else None
        raise error.at(converter.position(call.span if call is not None and call.span is not None else node.span)) from error.__cause__
    return clause.named(node, converter.builder.scan_table(table), ())


def _text(value: UnresolvedExpression) -> str | None:
    if not isinstance(value, Literal) or value.value is None:
        return None
    return str(value.value).lower() if isinstance(value.value, bool) else str(value.value)
