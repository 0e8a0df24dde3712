"""Calls and rows as messages name them: `SUM(amount) of the group region = 'eu'`, as a text expression of Spark that is evaluated for the failed rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from table_common.exceptions import TableException
from table_common.frozen_dataclass import dataclass
from table_common.types import NUMERICS, BooleanType, CharacterType, LogicalType, VarCharType
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.names import quote_text

_LONGEST = 80
_NAME_OF_PLAN = re.compile(r"(?<![\w$])\$[a-z]+\d")


@dataclass(frozen=True, slots=True)
class ShownKey:
    """A column that identifies the rows: its name in messages, its Spark SQL and type.

    ``is_absent`` is the condition under which it does not identify them, as in the other sets of GROUPING SETS; empty: never.
    """

    name: str
    text: str
    type: LogicalType
    is_absent: str = ""


def shown_place(function: str, arguments: Sequence[str], keys: Sequence[ShownKey], kind: str = "group", *, distinct: bool = False) -> str:
    """Returns the text expression.

    Args:
        function: the name of the aggregate function.
        arguments: the texts of its arguments in messages.
        keys: what identifies the rows.
        kind: what the rows with one key are called: group, partition.
        distinct: whether the call has DISTINCT.
    """
    inside = ("DISTINCT " if distinct else "") + ", ".join(arguments)
    call = quote_text(function if _NAME_OF_PLAN.search(inside) else f"{function}({inside})")
    if not keys:
        return call
    where = f"concat_ws(', ', {', '.join(map(_named, keys))})"
    before = quote_text(f" of the {kind} ")
    if not any(key.is_absent for key in keys):
        return f"concat({call}, {before}, {where})"
    return f"concat({call}, if({' AND '.join(key.is_absent or 'false' for key in keys)}, '', {before}), {where})"


def _named(key: ShownKey) -> str:
    named = f"concat({quote_text(f'{key.name} = ')}, {_value(key)})"
    return f"if({key.is_absent}, NULL, {named})" if key.is_absent else named


def _value(key: ShownKey) -> str:
    try:
        text = key.text if isinstance(key.type, CharacterType) else to_spark_cast(key.text, key.type, VarCharType())
    except TableException:  # no text of such a value is defined
        return "'…'"
    if not isinstance(key.type, (*NUMERICS, BooleanType)):
        text = f"replace(replace({text}, chr(39), repeat(chr(39), 2)), chr(10), ' ')"
        text = f"concat(chr(39), if(length({text}) > {_LONGEST}, concat(left({text}, {_LONGEST - 3}), '...'), {text}), chr(39))"
    return f"coalesce({text}, 'NULL')"
