"""The structural type of Arrow data in the SPI, which needs no Arrow library."""

from __future__ import annotations

from typing import Protocol


class SupportsArrowArray(Protocol):
    """A record batch of any Arrow library.

    Example:
        >>> import pyarrow
        >>> batch: SupportsArrowArray = pyarrow.record_batch({"id": [1, 2]})
        >>> schema, array = batch.__arrow_c_array__()
    """

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Exports the batch through the Arrow C data interface."""
