"""Offsets of a scan: how far tables are copied, in which snapshots, and how far the log is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from connector_postgres_cdc.messages import Bools, Ints
from table_common.connector import Offset
from table_common.frozen_dataclass import dataclass, field, replace

_XIDS = 1 << 32
"""The log has the lower half of the numbers of transactions."""


@dataclass(frozen=True, slots=True)
class Visibility:
    """Which transactions a snapshot shows, by the text of ``pg_current_snapshot()``: ``xmin:xmax:xip,…``."""

    text: str

    def of(self, xids: Ints) -> Bools:
        """Returns which transactions, by the lower 32 bits of their numbers, are visible."""
        least, end, running = self.text.split(":")
        xmin, xmax = int(least), int(end)
        whole = xids + (xmax - xmax % _XIDS)
        whole = np.where(whole - xmax > _XIDS // 2, whole - _XIDS, np.where(xmax - whole > _XIDS // 2, whole + _XIDS, whole))
        in_progress = np.array([int(xid) for xid in running.split(",") if xid], np.int64)
        return (whole < xmin) | ((whole < xmax) & ~np.isin(whole, in_progress))


@dataclass(frozen=True, slots=True)
class Copied:
    """A part of a table that was copied in one snapshot: the keys below a number (None: all others), from the end of the part before."""

    below: int | None
    snapshot: Visibility


@dataclass(frozen=True, slots=True)
class Position:
    """An offset as an object. Without parts that are copied the log alone is read."""

    lsn: int
    """The end of the last transaction that was read."""
    copied: Mapping[str, Sequence[Copied]] = field(default_factory=dict)
    """The parts of each table, in the order of their keys."""
    is_copying: bool = False
    """Whether tables, or parts of them, are still to be copied."""
    until: int = 0
    """From this position of the log on, no snapshot shows a transaction."""
    exported: str | None = None
    """The exported name of the snapshot of the last part, which lives as long as the session of the driver."""
    tables: Mapping[str, Any] = field(default_factory=dict)
    """What identifies the tables and their columns, as ``table_watch`` compares it."""

    @staticmethod
    def of(offset: Offset) -> Position:
        """Returns the position of an offset."""
        value = cast("dict[str, Any]", offset)
        copied = {
            table: tuple(Copied(below, Visibility(text)) for below, text in parts) for table, parts in value.get("copied", {}).items()
        }
        return Position(
            value["lsn"], copied, value.get("copying", False), value.get("until", 0), value.get("snapshot"), value.get("tables", {})
        )

    def offset(self) -> Offset:
        """Returns the JSON value, without what no longer matters."""
        value: dict[str, Any] = {"lsn": self.lsn}
        if self.is_copying or self.exported is not None or self.lsn < self.until:
            value["copied"] = {table: [[part.below, part.snapshot.text] for part in parts] for table, parts in self.copied.items()}
            value["until"] = self.until
        if self.is_copying:
            value["copying"] = True
        if self.exported is not None:
            value["snapshot"] = self.exported
        if self.tables:
            value["tables"] = self.tables
        return cast("Offset", value)

    def is_whole(self, table: str) -> bool:
        """Returns whether a table is copied."""
        parts = self.copied.get(table)
        return bool(parts) and parts is not None and parts[-1].below is None

    def with_part(self, table: str, part: Copied) -> Position:
        """Returns the position after one more part of a table; parts of one snapshot are one."""
        parts = tuple(self.copied.get(table, ()))
        if parts and parts[-1].snapshot == part.snapshot:
            parts = parts[:-1]
        return replace(self, copied={**self.copied, table: (*parts, part)})


def lsn_text(lsn: int) -> str:
    """Returns a position in the log as PostgreSQL writes it.

    Example:
        >>> lsn_text(0x16B374D848)
        '16/B374D848'
    """
    return f"{lsn >> 32:X}/{lsn & 0xFFFF_FFFF:X}"
