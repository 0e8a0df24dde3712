"""Lookup functions over Python values, for systems with row-wise clients."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow.record_batch import from_python_rows, to_python_rows
from table_common.arrow.schema import from_arrow_schema
from table_common.arrow.streams import import_batch
from table_common.connector import LookupFunction, SupportsArrowArray
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType


@dataclass
class PythonLookupFunction(LookupFunction, ABC):
    """Looks rows up key by key; define ``find``, and ``open`` and ``close`` for connections.

    Example:
        >>> from table_common.types import parse_logical_type
        >>> @dataclass
        ... class Squares(PythonLookupFunction):
        ...     row_type: RowType
        ...     def find(self, number):
        ...         return [(number, number * number)]
        >>> function = Squares(parse_logical_type("ROW<n BIGINT, square BIGINT> NOT NULL"))
        >>> function.lookup_batch(pa.record_batch({"n": [3, 7]})).to_pylist()
        [{'key': 0, 'n': 3, 'square': 9}, {'key': 1, 'n': 7, 'square': 49}]
    """

    row_type: RowType
    """The columns of the result rows."""

    @abstractmethod
    def find(self, *key: Any) -> Iterable[Sequence[Any]]:
        """Returns the rows of a key: a value for each key column, none of them None."""

    @override
    def lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        asked = import_batch(keys)
        numbers: list[int] = []
        found: list[Sequence[Any]] = []
        for number, key in enumerate(to_python_rows([asked], from_arrow_schema(asked.schema))):
            rows = list(self.find(*key))
            numbers += [number] * len(rows)
            found += rows
        columns = from_python_rows(found, self.row_type)
        batch: SupportsArrowArray = pa.RecordBatch.from_arrays(
            [pa.array(numbers, pa.int32()), *columns.columns], names=["key", *columns.schema.names]
        )
        return batch
