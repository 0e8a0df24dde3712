"""What the source of a scan was given to do.

The class of each ability stands in the file of the rule that pushes it, so a new ability is one file and one line in ``plan/programs.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, TypeVar

from table_common.frozen_dataclass import dataclass
from table_common.tree import Part

__all__ = ["PushedAbility", "PushedDown"]

_A = TypeVar("_A", bound="PushedAbility")


class PushedAbility(Part):
    """What one ability of a source was told; a subclass is a frozen dataclass.

    Walks over a scan find the expressions that it holds, as those of any other part of a node. It holds no queries: those that run before a scan
    are inputs of the scan.
    """

    __slots__ = ()

    place: ClassVar[int] = 100
    """Where plans show it among the others: lower ones first, those of the same place in the order in which they were pushed."""
    changes_columns: ClassVar[bool] = False
    """Whether the scan produces other columns than those that can be read: conditions and columns are pushed before it, or at once."""
    reduces_rows: ClassVar[bool] = False
    """Whether the scan no longer gives each row that its filters keep: conditions and aggregates cannot be pushed after it."""

    def summary_details(self) -> Iterator[tuple[str, Any]]:
        """Yields what plans show, as pairs of name and value."""
        yield from ()


@dataclass(frozen=True, slots=True)
class PushedDown(Part):
    """All that a source was given to do; at most one of each class."""

    abilities: tuple[PushedAbility, ...] = ()

    def get(self, kind: type[_A]) -> _A | None:
        """Returns what the ability was told, or None."""
        return next((ability for ability in self.abilities if isinstance(ability, kind)), None)

    def has(self, *kinds: type[PushedAbility]) -> bool:
        """Returns whether one of the abilities was told something."""
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
        """Returns this with one more; it replaces one of its class."""
        others = [ability for ability in self.abilities if type(ability) is not type(told)]
        return PushedDown(tuple(sorted([*others, told], key=lambda ability: ability.place)))

    def summary_details(self) -> Iterator[tuple[str, Any]]:
        """Yields what plans show of all of them."""
        for ability in self.abilities:
            yield from ability.summary_details()
