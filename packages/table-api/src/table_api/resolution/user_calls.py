"""Calls of user-defined functions: default arguments, table functions, and the context of the session (parameters, files, archives)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from table_api.delegation import Session
from table_api.resolution.casting import cast_arguments
from table_common.configuration import PipelineOptions, PythonOptions
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import CallExpression, ResolvedExpression, ValueLiteralExpression, infer_call
from table_common.functions import FunctionDefinition, FunctionKind
from table_common.types import ArrayType, NullType

if TYPE_CHECKING:
    from table_common.functions import UserFunction

ROWS_OF = frozenset({FunctionKind.TABLE, FunctionKind.ASYNC_TABLE})
"""Kinds of functions that give rows."""
_COLLECTION = "UNNEST"


def for_session(definition: FunctionDefinition, session: Session) -> FunctionDefinition:
    """Returns the function with the session's job parameters and files.

    Raises:
        ValidationException: an option has an invalid value.
    """
    configuration = session.configuration
    parameters, files, cached, archives = map(
        configuration.get,
        (PipelineOptions.GLOBAL_JOB_PARAMETERS, PythonOptions.PYTHON_FILES, PipelineOptions.CACHED_FILES, PythonOptions.PYTHON_ARCHIVES),
    )
    truncates_fractions = configuration.get(PythonOptions.PYTHON_TRUNCATE_FRACTIONS)
    if not parameters and not files and not cached and not archives and not truncates_fractions:
        return definition
    folders = link_python_archives(archives or "")
    function: UserFunction = definition  # type: ignore[assignment]  # is_user_defined says so
    return function.with_job(
        _pairs(parameters or "", PipelineOptions.GLOBAL_JOB_PARAMETERS.key),
        [file.strip() for file in (files or "").split(",") if file.strip()],
        {**cached_files(cached or ""), **folders},
        tuple(folders),
        truncates_fractions=bool(truncates_fractions),
    )


def link_python_archives(text: str) -> dict[str, str]:
    """Links the archives of ``python.archives`` into the working directory; returns their folders by name.

    Raises:
        ValidationException: an archive does not exist, is not an archive, or its name is already used.
    """
    if not text:
        return {}
    from table_common.functions import link_archives, unpacked_archive

    folders = {}
    for entry in filter(None, map(str.strip, text.split(","))):
        path, _, name = entry.partition("#")
        folders[name or path.rstrip("/").rpartition("/")[2]] = unpacked_archive(path)
    link_archives(folders)
    return folders


def cached_files(text: str) -> dict[str, str]:
    """Returns the paths of ``pipeline.cached-files`` by name.

    Raises:
        ValidationException: a file has no name or no path.
    """
    found = {}
    for entry in filter(None, map(str.strip, text.split(";"))):
        said = _pairs(entry, PipelineOptions.CACHED_FILES.key)
        if not said.get("name") or not said.get("path"):
            raise ValidationException(
                f"The option '{PipelineOptions.CACHED_FILES.key}' has a file without name or path: '{entry}'.",
                hint="'name:one,path:/a/b;name:two,path:/c'",
            )
        found[said["name"]] = said["path"].removeprefix("file://")
    return found


def _pairs(text: str, option: str) -> dict[str, str]:
    found = {}
    for pair in filter(None, map(str.strip, text.split(","))):
        key, colon, value = pair.partition(":")
        if not colon or not key.strip():
            raise ValidationException(
                f"The option '{option}' has '{pair}', which is not a pair of key and value.",
                hint="write key:value, with commas between pairs",
            )
        found[key.strip()] = value.strip()
    return found


def call_of_rows(
    definition: FunctionDefinition, arguments: Sequence[ResolvedExpression], clause: str | None, position: SourcePosition | None
) -> ResolvedExpression:
    """Returns the call of a table function as an operand of UNNEST: an array of rows; NULL where the function is not called.

    Raises:
        ValidationException: the function is used as a scalar value, or does not accept the arguments.
    """
    if clause != _COLLECTION:
        raise ValidationException(
            f"{definition.name} is a table function, so it can only be used in FROM.",
            position=position,
            hint=f"FROM t, LATERAL TABLE({definition.name}(…)) or t.join_lateral(…)",
        )
    inferred = infer_call(definition, arguments)
    return CallExpression(definition, cast_arguments(arguments, inferred.argument_types), ArrayType(inferred.output_type))


def with_defaults(definition: FunctionDefinition, arguments: Sequence[ResolvedExpression]) -> list[ResolvedExpression]:
    """Returns the arguments with default values for those omitted, whether at the end or between named arguments.

    Python itself fills in a default that is not a constant of SQL, such as a list, and those after it: these arguments stay omitted.

    Raises:
        ValidationException: such a default is between arguments that are given.
    """
    function: UserFunction = definition  # type: ignore[assignment]  # is_user_defined says so
    if len(function.signatures) != 1 or function.signatures[0].is_var_args:
        return list(arguments)
    from table_api.expressions.literals import literal_of

    complete = list(arguments)
    for position, parameter in enumerate(function.signatures[0].parameters):
        type_ = parameter.extracted.type
        is_missing = position >= len(complete) or complete[position] is MISSING
        if not is_missing:
            continue
        if not parameter.is_optional:
            break
        try:
            literal = literal_of(parameter.default)
        except ValidationException as error:
            if position >= len(complete):
                break
            raise ValidationException(
                f"The parameter '{parameter.name}' of {definition.name} cannot be left out between others: its default value is not a constant"
                " of SQL.",
                hint=f"give the argument, or leave out those after '{parameter.name}' too",
            ) from error
        value: ResolvedExpression = ValueLiteralExpression(literal.value, literal.type)
        if type_ is not None and literal.value is not None:
            (value,) = cast_arguments([value], [type_.not_null()])
        complete[position:] = [value, *complete[position + 1 :]]
    return complete


MISSING: ResolvedExpression = ValueLiteralExpression(None, NullType())
"""Stands for an argument that was left out between others given by name."""
