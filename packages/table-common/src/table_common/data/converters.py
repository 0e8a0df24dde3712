"""``DataStructureConverter``: converts between Python values and internal structures, for connectors that use only Python values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import UTC, tzinfo
from typing import Any

from table_common.annotation import override, public_evolving
from table_common.data.conversion_error import ValueMismatch
from table_common.data.from_external import Convert, Surroundings
from table_common.data.from_external_nested import from_external
from table_common.data.serializer import TypeSerializer
from table_common.data.to_external import to_external
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types.conversion import class_name_of, supports_output_conversion
from table_common.types.data_type import DataType


@public_evolving
class RuntimeConverter(ABC):
    """A converter that is created while planning, pickled, and opened in the tasks of the job.

    Source: Flink's ``org.apache.flink.table.connector.RuntimeConverter``.

    Example:
        >>> class Doubling(RuntimeConverter):
        ...     def open(self, context):
        ...         self.factor = 2
        >>> converter = Doubling()
        >>> converter.open(RuntimeConverter.Context.empty())
        >>> converter.factor
        2
    """

    __slots__ = ()

    class Context:
        """The context in which a converter is opened; empty so far."""

        __slots__ = ()

        @staticmethod
        def empty() -> RuntimeConverter.Context:
            """Returns the empty context."""
            return RuntimeConverter.Context()

    @abstractmethod
    def open(self, context: Context) -> None:
        """Prepares the conversion; called once, in the ``open`` method of the function that converts."""


@public_evolving
class DataStructureConverter(RuntimeConverter):
    """Converts the values of one data type, both ways.

    ``to_internal`` accepts the classes of ``supports_input_conversion``; ``to_external`` returns objects of the class that the data type is
    bridged to, or of its default class. Input is truncated to the declared precision of fractional seconds; output is never truncated: a value
    that the class cannot hold is an error.

    Source: Flink's ``org.apache.flink.table.connector.source.DynamicTableSource.DataStructureConverter``.

    Example:
        >>> from table_common.data import Row
        >>> from table_common.types import DataTypes
        >>> converter = DataStructureConverter(DataTypes.of("ROW<id INT, name STRING>"))
        >>> converter.open(RuntimeConverter.Context.empty())
        >>> converter.to_internal(Row(id=1, name="a"))
        +I(1, StringData('a'))
    """

    __slots__ = ("_around", "_data_type", "_from_external", "_to_external")

    _from_external: Convert | None
    _to_external: Convert | None

    def __init__(
        self,
        data_type: DataType,
        *,
        time_zone: tzinfo = UTC,
        serializers: Mapping[str, TypeSerializer[Any]] | None = None,
    ) -> None:
        """Makes a converter, to be opened before it is used.

        Args:
            data_type: The type, and the class of the objects given out.
            time_zone: The zone of a ``datetime`` without one given for TIMESTAMP_LTZ, and of those given out.
            serializers: For RAW types: the serializer of each class, by the class name in the type.
        """
        self._data_type = data_type
        self._around = Surroundings(time_zone, dict(serializers or {}))
        self._from_external = None
        self._to_external = None

    @property
    def data_type(self) -> DataType:
        """The type that is converted."""
        return self._data_type

    @override
    def open(self, context: RuntimeConverter.Context) -> None:
        """Prepares the conversion.

        Raises:
            ValidationException: The type has no values that rows hold.
        """
        type_, class_ = self._data_type.logical_type, self._data_type.conversion_class
        self._from_external = from_external(type_, self._around)
        # A data type may be bridged to a class for input only, such as list for rows.
        if class_ is None or supports_output_conversion(type_, class_):
            self._to_external = to_external(type_, class_, self._around)
        else:
            self._to_external = self._refuse_output

    def to_internal(self, external: Any) -> Any:
        """Returns the internal structure of a program's value; None for None.

        Raises:
            ValidationException: The value is not of the type; the message says where inside it and why.
        """
        convert = self._from_external
        if convert is None:
            raise self._not_open()
        try:
            return convert(external)
        except ValueMismatch as mismatch:
            raise ValidationException(mismatch.message()) from mismatch.__cause__

    def to_external(self, internal: Any) -> Any:
        """Returns the program's value of an internal structure; None for None.

        Raises:
            TableRuntimeException: The class cannot hold the value, such as a year beyond 9999 in a ``datetime``.
            ValidationException: Values cannot be converted to the class that the data type is bridged to, or a serializer is missing.
        """
        convert = self._to_external
        if convert is None:
            raise self._not_open()
        return convert(internal)

    def _refuse_output(self, internal: Any) -> Any:
        class_ = self._data_type.conversion_class
        assert class_ is not None
        raise ValidationException(
            f"Values of {self._data_type} are taken from objects of the class '{class_name_of(class_)}', but not given as such."
        )

    def _not_open(self) -> TableRuntimeException:
        return TableRuntimeException(
            f"The converter of {self._data_type} was not opened.", hint="Call open(RuntimeConverter.Context.empty()) first."
        )

    def __repr__(self) -> str:
        return f"DataStructureConverter({self._data_type})"

    def __reduce__(self) -> tuple[object, ...]:
        # Without the functions, which cannot be pickled: the copy is opened again.
        return _restore, (self._data_type, self._around.time_zone, self._around.serializers)


def _restore(data_type: DataType, time_zone: tzinfo, serializers: Mapping[str, TypeSerializer[Any]]) -> DataStructureConverter:
    return DataStructureConverter(data_type, time_zone=time_zone, serializers=serializers)
