"""The module SPI (FLIP-68): system functions, as if they were built in."""

from __future__ import annotations

from table_common.functions import FunctionDefinition

__all__ = ["Module"]


class Module:
    """A set of functions found by name, without a catalog; subclasses override what they provide."""

    def list_functions(self, include_hidden: bool = False) -> set[str]:
        """Returns the names of all functions in lower case; hidden ones (operators) only if asked for."""
        return set()

    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        """Returns the function of this name, compared without case, or None."""
        return None
