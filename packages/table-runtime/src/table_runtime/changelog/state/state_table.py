"""The tables of which an operator's state is made."""

from __future__ import annotations

from abc import ABC, abstractmethod

import pyarrow as pa

__all__ = ["StateTable"]


class StateTable(ABC):
    """A part of an operator's state that can be written as record batches and read back."""

    @abstractmethod
    def snapshot(self) -> pa.RecordBatch:
        """Returns the whole content."""

    @abstractmethod
    def restore(self, content: pa.RecordBatch) -> None:
        """Replaces the content by that of a snapshot."""
