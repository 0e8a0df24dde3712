"""Random predicates as SQL text select the rows that SQL's three-valued logic selects: in sqlite3, and where NaN is the greatest number."""

from __future__ import annotations

import itertools
import operator
import random
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from table_common.connector.sql import SqlTable, condition_sql
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, BooleanType, CharType, DoubleType, IntType, LogicalType, VarCharType
from table_testing.rounds import rounds

VALUES: dict[LogicalType, tuple[Any, ...]] = {
    BigIntType(): (-1, 0, 7, None),
    DoubleType(): (-0.5, 0.0, 7.0, None),
    VarCharType(): ("", "a", "A%", "it's", None),
    BooleanType(): (True, False, None),
}
COLUMNS = {f"{letter} {number}": type_ for letter, type_ in zip("ndsb", VALUES, strict=True) for number in (1, 2)}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "EQUALS": operator.eq,
    "NOT_EQUALS": operator.ne,
    "LESS_THAN": operator.lt,
    "LESS_THAN_OR_EQUAL": operator.le,
    "GREATER_THAN": operator.gt,
    "GREATER_THAN_OR_EQUAL": operator.ge,
}
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Table(SqlTable):
    """A table of sqlite3, which compares by code points; LIKE distinguishes case by a pragma."""

    name: str = "t"
    columns: Mapping[str, str] = field(default_factory=lambda: dict.fromkeys(COLUMNS, "any"))

    DATABASE = "Test"
    COMPARISONS: ClassVar[Mapping[str, str]] = {**SqlTable.COMPARISONS, "IS_DISTINCT_FROM": "IS NOT", "IS_NOT_DISTINCT_FROM": "IS"}

    def operand(self, name: str, type_: LogicalType, *, ordered: bool = False) -> str | None:
        return self.quoted(name)


class NanTable(Table):
    NAN_IS_GREATEST = True


def call(name: str, *args: ResolvedExpression) -> CallExpression:
    return CallExpression(BUILT_INS_BY_NAME[name], args, BooleanType())


def column(name: str) -> FieldReferenceExpression:
    return FieldReferenceExpression(name, COLUMNS[name], 0, list(COLUMNS).index(name))


def constant(value: object, type_: LogicalType) -> ValueLiteralExpression:
    return ValueLiteralExpression(value, CharType(max(1, len(value)), nullable=False) if isinstance(value, str) else type_.not_null())


def drawn_operand(draw: random.Random, type_: LogicalType) -> ResolvedExpression:
    if draw.random() < 0.5:
        return column(draw.choice([name for name, other in COLUMNS.items() if other == type_]))
    return constant(draw.choice(VALUES[type_][:-1]), type_)


def drawn_comparison(draw: random.Random, type_: LogicalType) -> CallExpression:
    name = draw.choice([*COMPARISONS, "IS_DISTINCT_FROM", "IS_NOT_DISTINCT_FROM", "BETWEEN", "NOT_BETWEEN", "IN", "NOT_IN"])
    count = 3 if "BETWEEN" in name else draw.randint(2, 4) if "IN" in name.split("_") else 2
    return call(name, *(drawn_operand(draw, type_) for _ in range(count)))


def drawn_predicate(draw: random.Random, depth: int = 3) -> ResolvedExpression:
    kind = draw.random() if depth else 1.0
    if kind < 0.3:
        return call(draw.choice(["AND", "OR"]), *(drawn_predicate(draw, depth - 1) for _ in range(draw.randint(2, 3))))
    if kind < 0.5:
        name = draw.choice(["NOT", "IS_TRUE", "IS_FALSE", "IS_NOT_TRUE", "IS_NOT_FALSE"])
        return call(name, drawn_predicate(draw, depth - 1))
    if kind < 0.6:
        return call(draw.choice(["IS_NULL", "IS_NOT_NULL"]), column(draw.choice(list(COLUMNS))))
    if kind < 0.7:
        return call(draw.choice(["LIKE", "NOT_LIKE"]), column("s 1"), constant(draw.choice(["a", "A%", "_%", "%'_"]), VarCharType()))
    return column("b 1") if kind < 0.75 else drawn_comparison(draw, draw.choice(list(VALUES)))


def truth(expression: ResolvedExpression, row: Row, cast: Callable[[Any], Any] = lambda value: value) -> Any:
    """Returns the value of a predicate: None is UNKNOWN. ``cast`` makes values of a database, which Python compares as the database does."""
    if isinstance(expression, FieldReferenceExpression):
        return cast(row[expression.name])
    if isinstance(expression, ValueLiteralExpression):
        return cast(expression.value)
    assert isinstance(expression, CallExpression)
    name, values = expression.function.name, [truth(arg, row, cast) for arg in expression.args]
    match name:
        case "AND" | "OR":
            decisive = name == "OR"
            return decisive if decisive in values else None if None in values else not decisive
        case "IS_TRUE" | "IS_FALSE":
            return values[0] is (name == "IS_TRUE")
        case "IS_NULL":
            return values[0] is None
        case "IS_NOT_DISTINCT_FROM":
            return values[0] == values[1] if None not in values else values == [None, None]
        case "BETWEEN":
            bounds = [_compared("GREATER_THAN_OR_EQUAL", *values[:2]), _compared("LESS_THAN_OR_EQUAL", values[0], values[2])]
            return False if False in bounds else None if None in bounds else True
        case "IN":
            found = [_compared("EQUALS", values[0], value) for value in values[1:]]
            return True if True in found else None if None in found else False
        case "LIKE":
            pattern = "".join({"%": ".*", "_": "."}.get(char, re.escape(char)) for char in values[1])
            return None if values[0] is None else re.fullmatch(pattern, values[0], re.DOTALL) is not None
        case _ if name in COMPARISONS:
            return _compared(name, *values)
    if name == "NOT":
        return None if values[0] is None else not values[0]
    opposite = {"IS_DISTINCT_FROM": "IS_NOT_DISTINCT_FROM"}.get(name, name.replace("NOT_", ""))
    inner = truth(call(opposite, *expression.args), row, cast)
    return None if inner is None else not inner


def _compared(name: str, left: Any, right: Any) -> bool | None:
    return None if left is None or right is None else COMPARISONS[name](left, right)


def test_random_predicates_select_the_same_rows_in_a_database() -> None:
    draw = random.Random(46)
    rows = [{name: draw.choice(VALUES[type_]) for name, type_ in COLUMNS.items()} for _ in range(60)]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA case_sensitive_like = ON")
        connection.execute(f"CREATE TABLE t (id, {', '.join(map(Table().quoted, COLUMNS))})")
        connection.executemany(
            f"INSERT INTO t VALUES (?{', ?' * len(COLUMNS)})", [(number, *row.values()) for number, row in enumerate(rows)]
        )
        for _ in rounds(2000):
            predicate = drawn_predicate(draw)
            text = condition_sql(predicate, Table())
            assert text is not None
            selected = [row[0] for row in connection.execute(f"SELECT id FROM t WHERE {text} ORDER BY id")]
            assert selected == [number for number, row in enumerate(rows) if truth(predicate, row) is True], text


class GreatestNan(float):
    """A number of a database in which NaN equals itself and is greater than all others."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GreatestNan) and self._key() == other._key()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> bool:
        return self._key() < other._key()

    def __le__(self, other: Any) -> bool:
        return self._key() <= other._key()

    def __gt__(self, other: Any) -> bool:
        return self._key() > other._key()

    def __ge__(self, other: Any) -> bool:
        return self._key() >= other._key()

    __hash__ = float.__hash__

    def _key(self) -> tuple[bool, float]:
        is_nan = float.__ne__(self, self)
        return (is_nan, 0.0 if is_nan else float(self))


def test_no_predicate_is_translated_that_nan_as_the_greatest_number_would_change() -> None:
    draw, nan = random.Random(7), float("nan")
    rows = [{"d 1": first, "d 2": second} for first, second in itertools.product((0.0, 7.0, nan), repeat=2)]

    def as_stored(value: Any) -> Any:
        return GreatestNan(value) if isinstance(value, float) else value

    found = {True: 0, False: 0}
    for _ in rounds(3000):
        predicate = drawn_comparison(draw, DoubleType())
        is_same = all(truth(predicate, row) is truth(predicate, row, as_stored) for row in rows)
        is_translated = condition_sql(predicate, NanTable()) is not None
        assert is_same or not is_translated, str(predicate)
        found[is_translated] += 1
        assert condition_sql(predicate, Table()) is not None
    assert min(found.values()) > 20


ONE = constant(1, BigIntType())


@pytest.mark.parametrize(
    ("expression", "sql"),
    [
        (call("EQUALS", column("n 1"), ONE), '("n 1" = 1)'),
        (call("EQUALS", CallExpression(BUILT_INS_BY_NAME["CAST"], (column("n 1"), column("n 1")), BigIntType()), ONE), '("n 1" = 1)'),
        (call("EQUALS", CallExpression(BUILT_INS_BY_NAME["CAST"], (column("n 1"), column("n 1")), IntType()), ONE), None),
        (call("EQUALS", column("n 1"), constant(1.0, DoubleType())), None),
        (call("EQUALS", column("d 1"), constant(float("inf"), DoubleType())), None),
        (call("EQUALS", column("s 1"), constant("a\0", VarCharType())), None),
        (call("LIKE", column("s 1"), constant("a\\_", VarCharType())), None),
        (call("LIKE", column("s 1"), column("s 2")), None),
        (call("IS_NULL", call("EQUALS", column("n 1"), ONE)), None),
        (call("OR", column("b 1"), call("LIKE", column("s 1"), column("s 2"))), None),
        (
            call("BETWEEN", column("s 1"), column("s 2"), constant("x COLLATE y", VarCharType())),
            """("s 1" BETWEEN "s 2" AND ('x COLLATE y'))""",
        ),
    ],
    ids=str,
)
def test_only_exact_translations_are_made(expression: ResolvedExpression, sql: str | None) -> None:
    assert condition_sql(expression, Table()) == sql
