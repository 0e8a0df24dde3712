"""Converts batches of Python rows; ``DataStructureConverter`` converts single rows."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, tzinfo
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow.row_data_batch import from_row_data, to_row_data
from table_common.arrow.streams import import_batch
from table_common.connector import SupportsArrowArray
from table_common.data import DataStructureConverter, RuntimeConverter
from table_common.exceptions import ValidationException
from table_common.types import DataType, RowType


class RowBatchConverter(RuntimeConverter):
    """Converts rows of a program (tuples, dicts, ``Row``, instances of structured types) to record batches and back.

    Is picklable before and after ``open``; a copy is opened again.

    Example:
        >>> from table_common.types import DataTypes
        >>> converter = RowBatchConverter(DataTypes.ROW([DataTypes.FIELD("n", DataTypes.INT())]))
        >>> converter.open(RuntimeConverter.Context.empty())
        >>> converter.to_internal_batch([(1,), {"n": 2}]).to_pylist()
        [{'n': 1}, {'n': 2}]
    """

    __slots__ = ("_converter", "_row_type")

    def __init__(self, data_type: DataType, *, time_zone: tzinfo = UTC) -> None:
        """Makes a converter, to be opened before it is used.

        Raises:
            ValidationException: the type is not a ROW.
        """
        if not isinstance(data_type.logical_type, RowType):
            raise ValidationException(f"A batch is made of rows, but the type given is {data_type}.", hint="DataTypes.ROW([…])")
        self._row_type = data_type.logical_type
        self._converter = DataStructureConverter(data_type, time_zone=time_zone)

    @override
    def open(self, context: RuntimeConverter.Context) -> None:
        self._converter.open(context)

    def to_internal_batch(self, rows: Iterable[Any]) -> pa.RecordBatch:
        """Returns the rows as one record batch of the type's canonical schema.

        Raises:
            ValidationException: a value does not fit; the message says where and why.
        """
        return from_row_data([self._converter.to_internal(row) for row in rows], self._row_type)

    def to_external_batch(self, batch: SupportsArrowArray) -> list[Any]:
        """Returns the rows of a record batch as objects of the class that the data type is bridged to."""
        return [self._converter.to_external(row) for row in to_row_data([import_batch(batch)], self._row_type)]
