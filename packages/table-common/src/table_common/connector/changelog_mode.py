"""Changelog modes: the set of row kinds that a source produces or a sink accepts."""

from __future__ import annotations

from table_common.data.row_kind import RowKind
from table_common.frozen_dataclass import dataclass


class _Builder:
    def __init__(self) -> None:
        self._kinds: set[RowKind] = set()
        self._key_only_deletes = False

    def add_contained_kind(self, kind: RowKind) -> _Builder:
        """Adds a kind."""
        self._kinds.add(kind)
        return self

    def key_only_deletes(self, flag: bool) -> _Builder:
        """Declares that deletions carry only the key."""
        self._key_only_deletes = flag
        return self

    def build(self) -> ChangelogMode:
        """Returns the mode."""
        return ChangelogMode(frozenset(self._kinds), self._key_only_deletes)


@dataclass(frozen=True, slots=True)
class ChangelogMode:
    """A set of row kinds, at least one.

    Source: Flink's ``org.apache.flink.table.connector.ChangelogMode``.

    Example:
        >>> str(ChangelogMode.upsert())
        '[+I,+U,-D]'
    """

    kinds: frozenset[RowKind]
    key_only_deletes: bool = False

    def __post_init__(self) -> None:
        if not self.kinds:
            raise ValueError("a changelog contains at least one kind of row")

    @staticmethod
    def insert_only() -> ChangelogMode:
        """Returns the insert-only mode."""
        return ChangelogMode(frozenset({RowKind.INSERT}))

    @staticmethod
    def upsert(key_only_deletes: bool = True) -> ChangelogMode:
        """Returns the upsert mode: insertions, updates and deletions by key, without UPDATE_BEFORE."""
        return ChangelogMode(frozenset({RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE}), key_only_deletes)

    @staticmethod
    def all() -> ChangelogMode:
        """Returns the mode of all kinds."""
        return ChangelogMode(frozenset(RowKind))

    @staticmethod
    def new_builder() -> _Builder:
        """Returns a builder of a mode with chosen kinds."""
        return _Builder()

    def contains(self, kind: RowKind) -> bool:
        """Returns whether the kind may occur."""
        return kind in self.kinds

    def contains_only(self, kind: RowKind) -> bool:
        """Returns whether the mode contains this kind and no other."""
        return self.kinds == {kind}

    def __str__(self) -> str:
        return "[" + ",".join(kind.short_string for kind in RowKind if kind in self.kinds) + "]"
