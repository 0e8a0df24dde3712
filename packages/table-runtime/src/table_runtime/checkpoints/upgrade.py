"""Whether the operators of a statement can use the state that another version of it has left."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from table_common.frozen_dataclass import dataclass

__all__ = ["Claim", "Upgrade", "Verdict", "compare"]

Signature = Mapping[str, Any]


class Verdict(Enum):
    """What becomes of the state of one operator."""

    EQUAL = "equal"
    COMPATIBLE = "compatible"
    NEW = "new"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Claim:
    """The state that an operator begins with. ``keys`` and ``values`` are the positions, in the old state, of the new ones; None: as they are."""

    verdict: Verdict
    new: str | None
    old: str | None
    reason: str = ""
    keys: tuple[int, ...] | None = None
    values: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The claims of all operators that keep state."""

    claims: tuple[Claim, ...]

    @property
    def is_possible(self) -> bool:
        """Whether nothing is lost, and no operator begins without the rows before."""
        return all(claim.verdict in (Verdict.EQUAL, Verdict.COMPATIBLE) for claim in self.claims)

    @property
    def converts(self) -> bool:
        """Whether the state is not used as it is."""
        return any(claim.verdict is not Verdict.EQUAL for claim in self.claims)

    def old_name(self, new: str) -> Claim | None:
        """Returns the claim of an operator."""
        return next((claim for claim in self.claims if claim.new == new and claim.old is not None), None)


def compare(old: Mapping[str, Signature], new: Mapping[str, Signature]) -> Upgrade:
    """Returns the claims of operators on old state: by equal signatures first, then by compatible ones, then by name."""
    left, claims = dict(old), {}
    for name, signature in new.items():
        same = [other for other, left_signature in left.items() if left_signature == signature]
        if same:
            chosen = name if name in same else same[0]
            del left[chosen]
            claims[name] = Claim(Verdict.EQUAL, name, chosen)
    for name, signature in new.items():
        if name in claims:
            continue
        found = sorted(left, key=lambda other: other != name)
        for other in found:
            conversion = _conversion(left[other], signature)
            if conversion is not None:
                del left[other]
                claims[name] = Claim(Verdict.COMPATIBLE, name, other, *conversion)
                break
    for name, signature in new.items():
        if name not in claims:
            near = left.get(name)
            claims[name] = Claim(
                Verdict.NEW, name, None, _difference(near, signature) if near is not None else "there was no such operator"
            )
    lost = [Claim(Verdict.LOST, None, name, "no operator of the statement uses it") for name in left]
    return Upgrade((*(claims[name] for name in new), *lost))


def _conversion(old: Signature, new: Signature) -> tuple[str, tuple[int, ...] | None, tuple[int, ...] | None] | None:
    """Returns why and how old state can be used: reason, positions of keys and of values; None if it cannot."""
    if old["operator"] != new["operator"] or old["details"] != new["details"] or old.keys() != new.keys():
        return None
    if "keys" not in new:
        widened = [
            _wider(old_columns, new_columns) if len(old_columns) == len(new_columns) else None
            for old_columns, new_columns in zip(old["inputs"], new["inputs"], strict=False)
        ]
        if len(old["inputs"]) != len(new["inputs"]) or any(each is None for each in widened):
            return None
        return "wider types", None, None
    keys = _positions(old["keys"], new["keys"])
    values = _positions(old["values"], new["values"])
    if keys is None or values is None or len(old["keys"]) != len(new["keys"]):
        return None
    if (keys != tuple(range(len(keys)))) and new["details"]:
        return None  # positions of keys are part of grouping sets
    if values != tuple(range(len(old["values"]))) and any("DISTINCT" in text for text, _ in (*old["values"], *new["values"])):
        return None
    reasons = [
        text
        for text, is_so in (
            ("another order of keys", keys != tuple(range(len(keys)))),
            ("aggregates removed", len(values) < len(old["values"])),
            ("another order of aggregates", list(values) != sorted(values)),
            ("wider types", _wider(old["keys"], [new["keys"][keys.index(i)] for i in range(len(keys))]) is not None),
        )
        if is_so
    ]
    return ", ".join(reasons), keys, values


def _positions(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> tuple[int, ...] | None:
    """Returns where each new column is in the old ones, with a type that is at most as wide; None if one is not."""
    result: list[int] = []
    for text, type_ in new:
        at = next(
            (i for i, (old_text, old_type) in enumerate(old) if old_text == text and i not in result and _fits(old_type, type_)), None
        )
        if at is None:
            return None
        result.append(at)
    return tuple(result)


def _wider(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> bool | None:
    """Returns whether the columns are the same and some have wider types; None if they are not the same."""
    for (old_text, old_type), (new_text, new_type) in zip(old, new, strict=True):
        if old_text != new_text or not _fits(old_type, new_type):
            return None
    return list(old) != list(new)


_CHARACTERS = re.compile(r"(VARCHAR|VARBINARY)\((\d+)\)")
_DECIMAL = re.compile(r"DECIMAL\((\d+), (\d+)\)")
_LONGEST = {"STRING": ("VARCHAR", 2**31 - 1), "BYTES": ("VARBINARY", 2**31 - 1)}


def _fits(old: str, new: str) -> bool:
    """Whether state of a type can be used as that of another one: the same, nullable or not, longer, or with more digits before the point."""
    old, new = old.removesuffix(" NOT NULL"), new.removesuffix(" NOT NULL")
    if old == new:
        return True
    before, after = _length(old), _length(new)
    if before is not None and after is not None:
        return before[0] == after[0] and before[1] <= after[1]
    digits, wider = _DECIMAL.fullmatch(old), _DECIMAL.fullmatch(new)
    return digits is not None and wider is not None and digits[2] == wider[2] and int(digits[1]) <= int(wider[1])


def _length(text: str) -> tuple[str, int] | None:
    if text in _LONGEST:
        return _LONGEST[text]
    match = _CHARACTERS.fullmatch(text)
    return (match[1], int(match[2])) if match is not None else None


def _difference(old: Signature, new: Signature) -> str:
    """Returns in words what is different."""
    for part in ("keys", "values"):
        if old.get(part) != new.get(part):
            before, after = ([f"{text}: {type_}" for text, type_ in signature.get(part, ())] for signature in (old, new))
            return f"its {part} were [{', '.join(before)}] and are [{', '.join(after)}]"
    if old.get("details") != new.get("details"):
        return f"it was ({old.get('details')}) and is ({new.get('details')})"
    return "the columns of its inputs are others"
