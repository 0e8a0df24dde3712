"""What the functions of Flink's test programs share: how they write values, and the classes of their rows and state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from table_api.udf import ArgumentHint, ArgumentTrait, DataTypeHint, ProcessTableFunction, function_hint
from table_common.connector import ChangelogMode, RowKind
from table_common.data import Row

Int = Annotated[int, DataTypeHint("INT")]
_T = ArgumentTrait
ROWS = ArgumentHint(_T.ROW_SEMANTIC_TABLE)
SET = ArgumentHint(_T.SET_SEMANTIC_TABLE)
OPEN = ArgumentHint(_T.SET_SEMANTIC_TABLE, _T.OPTIONAL_PARTITION_BY)
TIMED = ArgumentHint(_T.SET_SEMANTIC_TABLE, _T.REQUIRE_ON_TIME)
OPEN_TIMED = ArgumentHint(_T.SET_SEMANTIC_TABLE, _T.OPTIONAL_PARTITION_BY, _T.REQUIRE_ON_TIME)
CHANGES = ArgumentHint(_T.SET_SEMANTIC_TABLE, _T.SUPPORT_UPDATES)
OPEN_CHANGES = ArgumentHint(_T.SET_SEMANTIC_TABLE, _T.OPTIONAL_PARTITION_BY, _T.SUPPORT_UPDATES)
RETRACTIONS = ArgumentHint(_T.SET_SEMANTIC_TABLE, _T.SUPPORT_UPDATES, _T.REQUIRE_UPDATE_BEFORE)
FULL_DELETES = ArgumentHint(_T.SET_SEMANTIC_TABLE, _T.SUPPORT_UPDATES, _T.REQUIRE_FULL_DELETE)
_CODES = {RowKind.INSERT: "+I", RowKind.UPDATE_BEFORE: "-U", RowKind.UPDATE_AFTER: "+U", RowKind.DELETE: "-D"}


def text(value: Any) -> str:
    """Returns a value as Flink's programs write it."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case datetime():
            fraction = f".{value.microsecond // 1000:03d}" if value.microsecond else ""
            if value.tzinfo is not None:
                return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S}{fraction}Z"
            return f"{value:%Y-%m-%dT%H:%M}" + (f":{value.second:02d}{fraction}" if value.second or fraction else "")
        case timedelta():
            return f"PT{value.total_seconds():g}S"
        case Row():
            return f"{_CODES[value.get_row_kind()]}[{', '.join(text(one) for one in value)}]"
        case Mapping():
            return "{" + ", ".join(f"{text(key)}={text(one)}" for key, one in value.items()) + "}"
        case list() | tuple():
            return f"[{', '.join(map(text, value))}]"
    return str(value)


def of(*values: Any) -> str:
    """Returns values as one text, in braces."""
    return "{" + ", ".join(map(text, values)) + "}"


def mode_of(mode: ChangelogMode) -> str:
    """Returns a changelog mode in words."""
    name = "retract" if RowKind.UPDATE_BEFORE in mode.kinds else "upsert"
    if RowKind.DELETE not in mode.kinds:
        return f"{name}-no-delete"
    return name if name == "retract" else f"{name}-{'partial' if mode.key_only_deletes else 'full'}-delete"


def shown(value: Any) -> str:
    """Returns a field as the text of an object has it."""
    return f"'{'null' if value is None else value}'" if value is None or isinstance(value, str) else str(value)


class Text(ProcessTableFunction[Row]):
    """The base of functions with one column, ``out``."""


def out(function: Any) -> Any:
    """Declares the rows of a function."""
    return function_hint(output="ROW<`out` STRING>")(function)


@dataclass
class User:
    s: str
    i: Int

    def __str__(self) -> str:
        return f"User(s='{self.s}', i={self.i})"


@dataclass
class Score:
    s: str | None = None
    i: Int | None = None

    def __str__(self) -> str:
        return f"Score(s={shown(self.s)}, i={text(self.i)})"


@dataclass
class ScoreWithDefaults:
    s: str | None = None
    i: Int = 99

    def __str__(self) -> str:
        return f"ScoreWithDefaults(s={shown(self.s)}, i={self.i})"


@dataclass
class OneNumber:
    f0: Int | None = None


@dataclass
class OneText:
    f0: str | None = None


@dataclass
class Texts:
    list: list[str] = field(default_factory=list)


@dataclass
class TwoTexts:
    list1: list[str] = field(default_factory=list)
    list2: list[str] = field(default_factory=list)
