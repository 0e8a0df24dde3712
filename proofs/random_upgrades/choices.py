"""Choices of a generator by their places, so that a statement can be made again with another choice at one of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

__all__ = ["Change", "Choices"]

_T = TypeVar("_T")

HARMLESS = "harmless"
"""The last word of places whose choices do not matter to state: aliases, and what is above all operators that keep rows."""


class Change(NamedTuple):
    """What is different in a changed statement."""

    place: str
    before: object
    after: object

    @property
    def is_harmless(self) -> bool:
        """Whether the documentation promises that the state is used."""
        return self.place.endswith(HARMLESS)

    def __str__(self) -> str:
        return f"{self.place}: {self.before} -> {self.after}"


class Choices:
    """Random choices; each has a place, at which it is made once."""

    def __init__(self, chance: random.Random, made: dict[str, int] | None = None) -> None:
        self._chance = chance
        self._made = dict(made or {})
        self._used: dict[str, Sequence[object]] = {}

    def pick(self, place: str, options: Sequence[_T]) -> _T:
        """Returns the option that is chosen at a place."""
        number = self._made.get(place)
        if number is None or number >= len(options):
            number = self._made[place] = self._chance.randrange(len(options))
        self._used[place] = options
        return options[number]

    def chosen(self, place: str) -> object:
        """Returns the option that was chosen at a place; None if there was nothing to choose."""
        return self._used[place][self._made[place]] if place in self._used else None

    def changed(self) -> tuple[Choices, Change] | None:
        """Returns the same choices but for one; None if there is nothing to choose."""
        places = sorted(place for place, options in self._used.items() if len(set(options)) > 1)
        if not places:
            return None
        place = self._chance.choice(places)
        options, before = self._used[place], self._made[place]
        after = self._chance.choice([number for number, option in enumerate(options) if option != options[before]])
        kept = {name: number for name, number in self._made.items() if name in self._used}
        return Choices(self._chance, {**kept, place: after}), Change(place, options[before], options[after])
