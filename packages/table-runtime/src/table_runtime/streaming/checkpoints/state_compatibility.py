"""Whether the operators of a statement can use the state that another version of it has left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from table_common.frozen_dataclass import dataclass
from table_runtime.streaming.state.snapshots import KEYS

Signature = Mapping[str, Any]


class OperatorId(NamedTuple):
    """Identifies an operator in a statement: a digest of all that is below it, and the sinks that it comes to. It tells operators apart that keep the same."""

    below: str
    sinks: tuple[str, ...]


class Verdict(Enum):
    """What becomes of the state of one operator."""

    EQUAL = "equal"
    COMPATIBLE = "compatible"
    NEW = "new"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class StateMapping:
    """The state that an operator begins with. ``keys``, ``values`` and ``distinct`` (the tables of DISTINCT values) are the positions, in the old state, of the new
    ones; None: as they are.
    """

    verdict: Verdict
    new: str | None
    old: str | None
    reason: str = ""
    keys: tuple[int, ...] | None = None
    values: tuple[int, ...] | None = None
    distinct: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The claims of all operators that keep state."""

    claims: tuple[StateMapping, ...]
    others: tuple[StateMapping, ...] = ()
    """The claims of operators that keep no rows, only watermarks."""

    @property
    def is_possible(self) -> bool:
        """Whether nothing is lost, and no operator begins without the rows before."""
        return all(claim.verdict in (Verdict.EQUAL, Verdict.COMPATIBLE) for claim in self.claims)

    @property
    def converts(self) -> bool:
        """Whether the state is not used as it is."""
        return any(claim.verdict is not Verdict.EQUAL for claim in self.claims)

    @property
    def renames(self) -> bool:
        """Whether the state of an operator has another operator's name now."""
        return any(claim.old is not None and claim.new is not None and claim.old != claim.new for claim in (*self.claims, *self.others))

    def old_name(self, new: str) -> StateMapping | None:
        """Returns the claim of an operator."""
        claims = self.claims if self.converts else (*self.claims, *self.others)
        return next((claim for claim in claims if claim.new == new and claim.old is not None), None)


def compare(
    old: Mapping[str, Signature],
    new: Mapping[str, Signature],
    old_ids: Mapping[str, OperatorId] | None = None,
    new_ids: Mapping[str, OperatorId] | None = None,
) -> Upgrade:
    """Returns the claims of operators on old state: by equal signatures first, then by compatible ones. Of several by their identifiers, then by name."""
    left, claims = dict(old), {}
    is_near = _levels(old_ids or {}, new_ids or {})
    for name, other in _pairs(new, left, is_near, lambda other, name: left[other] == new[name]):
        del left[other]
        claims[name] = StateMapping(Verdict.EQUAL, name, other)
    others = {name: signature for name, signature in new.items() if name not in claims}
    for name, other in _pairs(others, left, is_near, lambda other, name: _conversion(left[other], new[name]) is not None):
        conversion = _conversion(left.pop(other), new[name])
        assert conversion is not None
        claims[name] = StateMapping(Verdict.COMPATIBLE, name, other, *conversion)
    for name, signature in new.items():
        if name not in claims:
            near = left.get(name)
            claims[name] = StateMapping(
                Verdict.NEW, name, None, _difference(near, signature) if near is not None else "there was no such operator"
            )
    lost = [StateMapping(Verdict.LOST, None, name, "no operator of the statement uses it") for name in left]
    return Upgrade((*(claims[name] for name in new), *lost))


def compare_watermarks(
    old: Iterable[str], new: Iterable[str], old_ids: Mapping[str, OperatorId], new_ids: Mapping[str, OperatorId]
) -> tuple[StateMapping, ...]:
    """Matches stateless operators of the old and the new statement by kind and identifier; they keep their watermarks.

    The watermark of another source would make rows late. So an operator with a new identifier continues only with that of its name for the same sinks, or, if a
    manifest has no identifier of it, with that of its name.
    """
    left, kind = {name: {"operator": _kind(name)} for name in old}, {name: {"operator": _kind(name)} for name in new}
    surest = _levels(old_ids, new_ids)[:4]
    is_near = (*surest, lambda other, name: other == name and other not in old_ids)
    claims = []
    for name, other in _pairs(kind, left, is_near, lambda other, name: left[other] == kind[name]):
        del left[other]
        claims.append(StateMapping(Verdict.EQUAL, name, other))
    return tuple(claims)


def _kind(name: str) -> str:
    return name.rpartition("#")[0]


def _levels(old: Mapping[str, OperatorId], new: Mapping[str, OperatorId]) -> Sequence[Callable[[str, str], bool]]:
    """Returns the questions whether an old and a new operator belong together, the surest first."""

    def below(other: str, name: str) -> bool:
        return other in old and name in new and old[other].below == new[name].below

    def sinks(other: str, name: str) -> bool:
        return other in old and name in new and old[other].sinks == new[name].sinks

    return (
        lambda other, name: below(other, name) and sinks(other, name) and other == name,
        lambda other, name: below(other, name) and sinks(other, name),
        below,
        lambda other, name: sinks(other, name) and other == name,
        sinks,
        lambda other, name: other == name,
        lambda other, name: True,
    )


def _pairs(
    new: Mapping[str, Signature],
    left: Mapping[str, Signature],
    is_near: Sequence[Callable[[str, str], bool]],
    fits: Callable[[str, str], bool],
) -> Iterator[tuple[str, str]]:
    """Yields new operators, each with an old one, which the caller removes from ``left``."""
    paired: set[str] = set()
    for level in is_near:
        for name in new:
            if name not in paired:
                other = next((other for other in left if level(other, name) and fits(other, name)), None)
                if other is not None:
                    paired.add(name)
                    yield name, other


def is_complete(signature: Signature) -> bool:
    """Whether a signature says all that state depends on; those of older manifests, which have no version, do not."""
    return "version" in signature


_EQUAL_PARTS = ("version", "operator", "details", "rows", "changes", "kept")
"""What no conversion changes: keys, values, columns and the tables of state it may."""

_Conversion = tuple[str, tuple[int, ...] | None, tuple[int, ...] | None, tuple[int, ...] | None]


def _conversion(old: Signature, new: Signature) -> _Conversion | None:
    """Returns why and how old state can be used: reason, positions of keys, of values and of tables of DISTINCT values; None if it cannot."""
    if old.keys() != new.keys() or any(old.get(part) != new.get(part) for part in _EQUAL_PARTS):
        return None
    if "keys" not in new:
        return _conversion_of_rows(old, new)
    keys = _positions(old["keys"], new["keys"])
    values = _positions(old["values"], new["values"])
    if keys is None or values is None or len(old["keys"]) != len(new["keys"]):
        return None
    if (keys != tuple(range(len(keys)))) and "grouping_sets" in new["details"]:
        return None  # positions of keys are part of grouping sets
    distinct = _distinct_tables(old, new, values)
    if distinct is None or _layout_difference(old, new, values) is not None or not _tables_fit(old, new, values, distinct):
        return None
    reasons = [
        text
        for text, is_so in (
            ("another order of keys", keys != tuple(range(len(keys)))),
            ("aggregates removed", len(values) < len(old["values"])),
            ("another order of aggregates", list(values) != sorted(values)),
            ("wider types", [old["keys"][i] for i in keys] != new["keys"] or [old["values"][i] for i in values] != new["values"]),
        )
        if is_so
    ]
    return ", ".join(reasons), keys, values, distinct


def _conversion_of_rows(old: Signature, new: Signature) -> _Conversion | None:
    """Returns what ``_conversion`` does for operators that keep rows of their inputs."""
    before, after = old["inputs"], new["inputs"]
    if len(before) != len(after) or any(len(a) != len(b) for a, b in zip(before, after, strict=True)):
        return None
    if all(_wider(a, b) is not None for a, b in zip(before, after, strict=True)):
        return ("wider types", None, None, None) if _tables_fit(old, new, None, None) else None
    keys = _positions(before[0], after[0]) if new["operator"] == "Distinct" else None  # all columns are its key
    return ("another order of columns", keys, None, None) if keys is not None else None


def _layout_difference(old: Signature, new: Signature, values: Sequence[int]) -> str | None:
    """Explains why the state tables of two aggregates differ; None if they are equal."""
    if "functions" not in old or "functions" not in new:
        return None
    for (text, *_), after, at in zip(new["values"], new["functions"], values, strict=True):
        if after != old["functions"][at]:
            return f"{text} is kept in another way if rows are only inserted than if they are updated or deleted, and that has changed"
    if old["kept"] != new["kept"]:
        return f"it was a {old['kept']} and is a {new['kept']}, which keep rows in different ways"
    return None


_NUMBERED = re.compile(r"(function|distinct)(\d+)")


def table_before(name: str, values: Sequence[int] | None, distinct: Sequence[int] | None) -> str:
    """Returns which table of old state a table is made from: those of aggregates and of DISTINCT values are numbered.

    Example:
        >>> table_before("function0", (2, 1), None), table_before("counts", (2, 1), None)
        ('function2', 'counts')
    """
    match = _NUMBERED.fullmatch(name)
    positions = None if match is None else values if match[1] == "function" else distinct
    return name if match is None or positions is None else f"{match[1]}{positions[int(match[2])]}"


def _tables_fit(old: Signature, new: Signature, values: Sequence[int] | None, distinct: Sequence[int] | None) -> bool:
    """Whether each table of the state can be made from one of the old state: as many columns, of the same or wider types."""
    before, after = old.get("tables", {}), new.get("tables", {})
    pairs = [(before.get(table_before(name, values, distinct)), types) for name, types in after.items() if name != KEYS]
    return all(
        types_before is not None
        and len(types_before) == len(types)
        and all(
            a == b or _digits_fit(_DECIMAL.search(a.upper()), _DECIMAL.search(b.upper())) for a, b in zip(types_before, types, strict=True)
        )
        for types_before, types in pairs
    )


def _distinct_tables(old: Signature, new: Signature, values: Sequence[int]) -> tuple[int, ...] | None:
    """Returns where each table of DISTINCT values is in the old state; None if that is not known."""
    before, after = old.get("distinct"), new.get("distinct")
    if before is None or after is None:
        return None
    tables: dict[int, int] = {}
    for number, at in zip(after, values, strict=True):
        if (number is None) != (before[at] is None) or (number is not None and tables.setdefault(number, before[at]) != before[at]):
            return None
    return tuple(tables[number] for number in sorted(tables))


def _positions(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> tuple[int, ...] | None:
    """Returns where each new column is in the old ones, with types that are at most as wide; None if one is not."""
    result: list[int] = []
    for column in new:
        at = next((i for i, one in enumerate(old) if i not in result and _column_fits(one, column)), None)
        if at is None:
            return None
        result.append(at)
    return tuple(result)


def _column_fits(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether a column, or a value with the columns that it is computed from, is the same with types at least as wide."""
    return old[0] == new[0] and len(old) == len(new) and all(map(_fits, old[1:], new[1:]))


def _wider(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> bool | None:
    """Returns whether the columns are the same and some have wider types; None if they are not the same."""
    return list(old) != list(new) if all(map(_column_fits, old, new)) else None


_CHARACTERS = re.compile(r"(VARCHAR|VARBINARY)\((\d+)\)")
_DECIMAL = re.compile(r"DECIMAL(?:128|256)?\((\d+), (\d+)\)")
_LONGEST = {"STRING": ("VARCHAR", 2**31 - 1), "BYTES": ("VARBINARY", 2**31 - 1)}


def _fits(old: str, new: str) -> bool:
    """Whether state of a type can be used as that of another one: the same, nullable or not, longer, or with more digits before the point."""
    old, new = old.removesuffix(" NOT NULL"), new.removesuffix(" NOT NULL")
    if old == new:
        return True
    before, after = _length(old), _length(new)
    if before is not None and after is not None:
        return before[0] == after[0] and before[1] <= after[1]
    return _digits_fit(_DECIMAL.fullmatch(old), _DECIMAL.fullmatch(new))


def _digits_fit(old: re.Match[str] | None, new: re.Match[str] | None) -> bool:
    return old is not None and new is not None and old[2] == new[2] and int(old[1]) <= int(new[1])


def _length(text: str) -> tuple[str, int] | None:
    if text in _LONGEST:
        return _LONGEST[text]
    match = _CHARACTERS.fullmatch(text)
    return (match[1], int(match[2])) if match is not None else None


def _difference(old: Signature, new: Signature) -> str:
    """Returns in words what is different."""
    if is_complete(old) != is_complete(new):
        return "an older version wrote it, without all that state depends on, so it is used only if the statement is the same"
    values = _positions(old["values"], new["values"]) if "keys" in old and "keys" in new else None
    if values is not None and (text := _layout_difference(old, new, values)):
        return text
    if old.get("details") != new.get("details"):
        before, after = ({**signature.get("details", {})} for signature in (old, new))
        changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        return ", ".join(
            f"its {name.replace('_', ' ')} was {before.get(name, 'not set')} and is {after.get(name, 'not set')}" for name in changed
        )
    for part in ("keys", "values"):
        if old.get(part) != new.get(part):
            columns, now = ([": ".join(column[:2]) for column in signature.get(part, ())] for signature in (old, new))
            return f"its {part} were [{', '.join(columns)}] and are [{', '.join(now)}]"
    for part, text in (
        ("inputs", "the columns of its inputs"),
        ("rows", "the rows of its inputs"),
        ("changes", "the changes of its inputs"),
    ):
        if old.get(part) != new.get(part):
            return f"{text} were {_listed(old, part)} and are {_listed(new, part)}"
    return "its state is kept in other tables"


def _listed(signature: Signature, part: str) -> str:
    """Returns the inputs' columns, rows or changes as text."""
    return " and ".join(
        str([": ".join(column) for column in one] if part == "inputs" else one).replace("'", "") for one in signature.get(part, ())
    )
