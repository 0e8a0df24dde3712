"""Which position of an earlier run each source of a statement begins with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple


class Scan(NamedTuple):
    """What a source was asked for: ``rows`` are its filters and limits, and ``fields`` its columns."""

    rows: str
    fields: str


def same_scans(old: Mapping[str, Scan], new: Mapping[str, Scan]) -> Mapping[str, str]:
    """Returns the old name of each source: of the same table, asked for the same, else the one with the same name. New sources are left out.

    Names are those of tables with a number: the order of the statements, which may have changed.

    Example:
        >>> same_scans({"t#0": Scan("a > 1", "a"), "t#1": Scan("a < 1", "a")}, {"t#0": Scan("a < 1", "a"), "t#1": Scan("a > 1", "a")})
        {'t#0': 't#1', 't#1': 't#0'}
    """
    levels: tuple[Callable[[str, str], bool], ...] = (
        lambda other, name: other == name and old[other] == new[name],
        lambda other, name: old[other] == new[name],
        lambda other, name: other == name and old[other].rows == new[name].rows,
        lambda other, name: old[other].rows == new[name].rows,
        lambda other, name: other == name,
    )
    left, result = list(old), dict[str, str]()
    for level in levels:
        for name in new:
            if name not in result:
                other = next((other for other in left if _table(other) == _table(name) and level(other, name)), None)
                if other is not None:
                    left.remove(other)
                    result[name] = other
    return result


def _table(name: str) -> str:
    return name.rpartition("#")[0]
