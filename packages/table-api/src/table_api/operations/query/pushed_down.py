"""The abilities pushed into the source of a scan.

The class of each ability stands in the file of the rule that pushes it, so a new ability is one file and one line in ``plan/programs.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, TypeVar

from table_common.catalog import Column
from table_common.frozen_dataclass import dataclass
from table_common.tree import Part

_A = TypeVar("_A", bound="PushedAbility")


class PushedAbility(Part):
    """The arguments of one ability that was pushed into a source; subclasses are frozen dataclasses.

    Walks over a scan find the expressions that it holds, as those of any other part of a node. It holds no queries: those that run before a
    scan are inputs of the scan.
    """

    __slots__ = ()

    place: ClassVar[int] = 100
    """Where plans show it among the others: lower ones first, those of the same place in the order in which they were pushed."""
    changes_columns: ClassVar[bool] = False
    """Whether the scan produces other columns than those that can be read: conditions and columns are pushed before it, or at once."""
    reduces_rows: ClassVar[bool] = False
    """Whether the scan no longer gives each row that its filters keep: conditions and aggregates cannot be pushed after it."""

    chooses_rows: ClassVar[bool] = False
    """Whether it decides which rows the scan gives."""

    def origins(self, readable: Sequence[Column]) -> Sequence[str] | None:
        """Returns what the scan's columns are in those that can be read, such as ``address.city``; None: they have the same names."""
        return None

    def summary_details(self) -> Iterator[tuple[str, Any]]:
        """Yields the details for EXPLAIN, as pairs of name and value."""
        yield from ()


@dataclass(frozen=True, slots=True)
class PushedDown(Part):
    """The abilities pushed into a source; at most one of each class."""

    abilities: tuple[PushedAbility, ...] = ()

    def get(self, kind: type[_A]) -> _A | None:
        """Returns the pushed ability of a class, or None."""
        return next((ability for ability in self.abilities if isinstance(ability, kind)), None)

    def has(self, *kinds: type[PushedAbility]) -> bool:
        """Returns whether an ability of one of the classes was pushed."""
        return any(isinstance(ability, kinds) for ability in self.abilities)

    @property
    def changes_columns(self) -> bool:
        """Whether the scan produces other columns than those that can be read."""
        return any(ability.changes_columns for ability in self.abilities)

    @property
    def reduces_rows(self) -> bool:
        """Whether the scan no longer gives each row that its filters keep."""
        return any(ability.reduces_rows for ability in self.abilities)

    def with_ability(self, told: PushedAbility) -> PushedDown:
        """Returns a copy with one more ability, which replaces one of the same class."""
        others = [ability for ability in self.abilities if type(ability) is not type(told)]
        return PushedDown(tuple(sorted([*others, told], key=lambda ability: ability.place)))

    def chosen_rows(self) -> Iterator[tuple[str, Any]]:
        """Yields the details of the abilities that decide which rows the scan gives."""
        for ability in self.abilities:
            if ability.chooses_rows:
                yield from ability.summary_details()

    def summary_details(self) -> Iterator[tuple[str, Any]]:
        """Yields the details of all abilities for EXPLAIN."""
        for ability in self.abilities:
            yield from ability.summary_details()
