"""What converts the elements of arrays of an Arrow library; it is registered, because nothing here needs such a library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_common.types.logical import LogicalType

if TYPE_CHECKING:
    from table_common.data.serializer import TypeSerializer


@dataclass(frozen=True, slots=True)
class ArrowElements:
    """The two functions: from an array to internal structures of a type, and back, with the serializers of RAW types."""

    from_arrow: Callable[[Any, LogicalType], list[Any]]
    to_arrow: Callable[[Sequence[Any], LogicalType, Mapping[str, TypeSerializer[Any]] | None], Any]


_registered: list[ArrowElements] = []


def register_arrow_elements(elements: ArrowElements) -> None:
    """Sets what converts the elements of arrays."""
    _registered[:] = [elements]


def arrow_elements() -> ArrowElements:
    """Returns what was registered.

    Raises:
        TableRuntimeException: nothing was.
    """
    if not _registered:
        raise TableRuntimeException(
            "Arrays of pyarrow are converted by table_common.arrow, which is not imported.", hint="import table_common.arrow"
        )
    return _registered[0]
