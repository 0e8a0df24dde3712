"""The function definitions of operators and of functions with special syntax."""

from __future__ import annotations

from table_common.exceptions import TableInternalError
from table_common.functions import FunctionDefinition

_FOUND: dict[str, FunctionDefinition] = {}


def operator(name: str) -> FunctionDefinition:
    """Returns the built-in definition of that name.

    Raises:
        TableInternalError: The registry has no such definition.
    """
    found = _FOUND.get(name)
    if found is None:
        from table_common.functions.builtin import BUILT_INS_BY_NAME  # the registry is large and not needed to import the parser

        try:
            found = _FOUND[name] = BUILT_INS_BY_NAME[name]
        except KeyError:
            raise TableInternalError(f"The parser refers to the built-in function {name}, which does not exist.") from None
    return found
