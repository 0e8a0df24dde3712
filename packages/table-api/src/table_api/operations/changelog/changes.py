"""The changes on an edge of a streaming plan: their kinds, and the rows and columns that describe them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from table_common.connector import ChangelogMode, RowKind
from table_common.frozen_dataclass import dataclass


class ModifyKind(Enum):
    """A kind of change, independent of the rows that describe it.

    Source: Flink's ``org.apache.flink.table.planner.plan.trait.ModifyKind``.
    """

    INSERT = "I"
    UPDATE = "U"
    DELETE = "D"


ModifyKindSet = frozenset[ModifyKind]


class UpdateKind(Enum):
    """The rows that describe an update: none (no updates), UPDATE_AFTER only, or UPDATE_BEFORE and UPDATE_AFTER.

    Source: Flink's ``org.apache.flink.table.planner.plan.trait.UpdateKind``.
    """

    NONE = 0
    ONLY_UPDATE_AFTER = 1
    BEFORE_AND_AFTER = 2


class DeleteKind(Enum):
    """The columns of a deletion: none (no deletions), only the upsert key (others are NULL), or all.

    Source: Flink's ``org.apache.flink.table.planner.plan.trait.DeleteKind``.
    """

    NONE = 0
    DELETE_BY_KEY = 1
    FULL_DELETE = 2


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes on an edge; printed as in Flink's plans.

    Example:
        >>> str(Changes(frozenset({ModifyKind.INSERT, ModifyKind.UPDATE}), UpdateKind.BEFORE_AND_AFTER, DeleteKind.NONE))
        'I,UB,UA'
    """

    kinds: ModifyKindSet
    updates: UpdateKind = UpdateKind.NONE
    deletes: DeleteKind = DeleteKind.NONE

    @property
    def is_insert_only(self) -> bool:
        """Whether every row is an insertion."""
        return self.kinds <= {ModifyKind.INSERT}

    @property
    def row_kinds(self) -> frozenset[RowKind]:
        """The possible row kinds."""
        found = set()
        if ModifyKind.INSERT in self.kinds:
            found.add(RowKind.INSERT)
        if self.updates is UpdateKind.BEFORE_AND_AFTER:
            found.add(RowKind.UPDATE_BEFORE)
        if self.updates is not UpdateKind.NONE:
            found.add(RowKind.UPDATE_AFTER)
        if self.deletes is not DeleteKind.NONE:
            found.add(RowKind.DELETE)
        return frozenset(found)

    @property
    def changelog_mode(self) -> ChangelogMode:
        """These changes as a changelog mode of the connector SPI."""
        return ChangelogMode(self.row_kinds, self.deletes is DeleteKind.DELETE_BY_KEY)

    def __str__(self) -> str:
        texts = {RowKind.INSERT: "I", RowKind.UPDATE_BEFORE: "UB", RowKind.UPDATE_AFTER: "UA", RowKind.DELETE: "D"}
        if self.deletes is DeleteKind.DELETE_BY_KEY:
            texts[RowKind.DELETE] = "PD"
        return ",".join(text for kind, text in texts.items() if kind in self.row_kinds)


INSERTS: ModifyKindSet = frozenset({ModifyKind.INSERT})
INSERT_ONLY = Changes(INSERTS)
ALL_KINDS: ModifyKindSet = frozenset(ModifyKind)


def modify_kinds_of(kinds: Iterable[RowKind]) -> ModifyKindSet:
    """Returns the kinds of changes that these row kinds describe."""
    found = set(kinds)
    result = {ModifyKind.INSERT} if RowKind.INSERT in found else set()
    if found & {RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER}:
        result.add(ModifyKind.UPDATE)
    if RowKind.DELETE in found:
        result.add(ModifyKind.DELETE)
    return frozenset(result)
