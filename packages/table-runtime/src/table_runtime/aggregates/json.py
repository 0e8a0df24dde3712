"""JSON_OBJECTAGG and JSON_ARRAYAGG: the rows of a group as one JSON text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import aggregates as fn
from table_runtime.aggregates.accumulator import Accumulator, AccumulatorTable, AggregateSpec
from table_runtime.aggregates.collect import Collecting
from table_runtime.columns.plain_types import to_plain
from table_runtime.kernels.support.json_encoding import json_encoder
from table_runtime.kernels.support.json_text import quote


def json_object(*, keep_nulls: bool) -> Callable[[AggregateSpec], Accumulator]:
    """Returns a factory of JSON_OBJECTAGG with NULL ON NULL or ABSENT ON NULL."""
    return lambda spec: JsonObjectAgg(spec, keep_nulls=keep_nulls)


def json_array(*, keep_nulls: bool) -> Callable[[AggregateSpec], Accumulator]:
    """Returns a factory of JSON_ARRAYAGG with NULL ON NULL or ABSENT ON NULL."""
    return lambda spec: JsonArrayAgg(spec, keep_nulls=keep_nulls)


class _JsonAgg(Collecting):
    ignores_nulls = False

    def __init__(self, spec: AggregateSpec, *, keep_nulls: bool) -> None:
        super().__init__(spec)
        self._keep_nulls = keep_nulls
        self._encode = json_encoder(spec.argument_types[-1])


class JsonObjectAgg(_JsonAgg):
    """An object of keys and values; a key that is NULL or occurs twice is an error."""

    @override
    def finish_lists(self, lists: Sequence[pa.Array]) -> pa.Array:
        pairs = zip(lists[0].to_pylist(), to_plain(lists[1]).to_pylist(), strict=True)
        return pa.array([self._object(keys, values) for keys, values in pairs], type=pa.string())

    def _object(self, keys: Sequence[str | None], values: Sequence[Any]) -> str:
        members: dict[str | None, str] = {}
        for key, value in zip(keys, values, strict=True):
            piece = self.piece(key, value)
            if piece is None:
                continue
            if key in members:
                raise repeated_key(key)
            members[key] = piece
        return "{" + ",".join(members.values()) + "}"

    def piece(self, key: str | None, value: Any) -> str | None:
        """Returns the text of a member, None if it is left out.

        Raises:
            TableRuntimeException: the key is NULL.
        """
        if key is None:
            raise TableRuntimeException("JSON_OBJECTAGG: a key is NULL.")
        return None if value is None and not self._keep_nulls else f"{quote(key)}:{self._encode(value)}"

    @override
    def over_nothing(self) -> Any:
        return "{}"


class JsonArrayAgg(_JsonAgg):
    """An array of the values."""

    @override
    def finish_lists(self, lists: Sequence[pa.Array]) -> pa.Array:
        return pa.array([self._array(values) for values in to_plain(lists[0]).to_pylist()], type=pa.string())

    def _array(self, values: Sequence[Any]) -> str:
        return "[" + ",".join(piece for piece in map(self.piece, values) if piece is not None) + "]"

    def piece(self, value: Any) -> str | None:
        """Returns the text of an element, None if it is left out."""
        return None if value is None and not self._keep_nulls else self._encode(value)

    @override
    def over_nothing(self) -> Any:
        return "[]"


def repeated_key(key: str | None) -> TableRuntimeException:
    """Returns the error of a key that a group has twice."""
    return TableRuntimeException(f"JSON_OBJECTAGG: the key '{key}' occurs twice in a group.")


ACCUMULATORS: AccumulatorTable = {
    fn.JSON_OBJECTAGG_NULL_ON_NULL: json_object(keep_nulls=True),
    fn.JSON_OBJECTAGG_ABSENT_ON_NULL: json_object(keep_nulls=False),
    fn.JSON_ARRAYAGG_NULL_ON_NULL: json_array(keep_nulls=True),
    fn.JSON_ARRAYAGG_ABSENT_ON_NULL: json_array(keep_nulls=False),
}
