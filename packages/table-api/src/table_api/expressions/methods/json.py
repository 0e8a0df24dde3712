"""Functions of JSON in text."""

from __future__ import annotations

from typing import Self

from table_api.expressions.node_holder import NodeHolder, to_unresolved
from table_api.expressions.symbols import JsonExistsOnError, JsonQueryOnEmptyOrError, JsonQueryWrapper, JsonType, JsonValueOnEmptyOrError
from table_api.expressions.unresolved import TypeLiteral
from table_common.types import DataType, LogicalType, VarCharType


class JsonMethods(NodeHolder):
    """JSON in text; paths are those of SQL, ``lax`` or ``strict``."""

    __slots__ = ()

    def is_json(self, json_type: JsonType | None = None) -> Self:
        """Returns whether the text is JSON, perhaps of a kind."""
        return self._call("IS_JSON", json_type if json_type is not None else JsonType.VALUE)

    def json_exists(self, path: str, on_error: JsonExistsOnError | None = None) -> Self:
        """Returns whether a path finds something."""
        return self._call("JSON_EXISTS", path, optional=[on_error])

    def json_value(
        self,
        path: str,
        returning_type: DataType | LogicalType | None = None,
        on_empty: JsonValueOnEmptyOrError = JsonValueOnEmptyOrError.NULL,
        default_on_empty: object = None,
        on_error: JsonValueOnEmptyOrError = JsonValueOnEmptyOrError.NULL,
        default_on_error: object = None,
    ) -> Self:
        """Returns the scalar at a path, as text or as ``returning_type``."""
        plain = (None, JsonValueOnEmptyOrError.NULL, None, JsonValueOnEmptyOrError.NULL, None)
        if (returning_type, on_empty, default_on_empty, on_error, default_on_error) == plain:
            return self._call("JSON_VALUE", path)
        wanted = returning_type if returning_type is not None else VarCharType()
        args: tuple[object, ...] = (
            TypeLiteral(wanted.logical_type if isinstance(wanted, DataType) else wanted),
            on_empty,
            to_unresolved(default_on_empty),
            on_error,
            to_unresolved(default_on_error),
        )
        return self._call("JSON_VALUE", path, *args)

    def json_query(
        self,
        path: str,
        wrapping_behavior: JsonQueryWrapper = JsonQueryWrapper.WITHOUT_ARRAY,
        on_empty: JsonQueryOnEmptyOrError = JsonQueryOnEmptyOrError.NULL,
        on_error: JsonQueryOnEmptyOrError = JsonQueryOnEmptyOrError.NULL,
        return_type: DataType | LogicalType | None = None,
    ) -> Self:
        """Returns the JSON at a path, as text or as an array of text."""
        plain = (None, JsonQueryWrapper.WITHOUT_ARRAY, JsonQueryOnEmptyOrError.NULL, JsonQueryOnEmptyOrError.NULL)
        if (return_type, wrapping_behavior, on_empty, on_error) == plain:
            return self._call("JSON_QUERY", path)
        wanted = return_type if return_type is not None else VarCharType()
        type_literal = TypeLiteral(wanted.logical_type if isinstance(wanted, DataType) else wanted)
        return self._call("JSON_QUERY", path, type_literal, wrapping_behavior, on_empty, on_error)

    def json_quote(self) -> Self:
        """Returns the text as a JSON string."""
        return self._call("JSON_QUOTE")

    def json_unquote(self) -> Self:
        """Returns the text of a JSON string."""
        return self._call("JSON_UNQUOTE")
