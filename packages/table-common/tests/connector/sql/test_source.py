"""Push-downs of a source become parts of one query."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from table_common.connector import FullCachingLookupProvider, LookupFunction, LookupFunctionProvider, LookupSettings, LookupTableSource
from table_common.connector.sql import SqlQuery, SqlTable, SqlTableSource
from table_common.exceptions import ValidationException
from table_common.expressions import AggregateExpression, CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, BooleanType, DoubleType, IntType, LogicalType, RowType, VarCharType

ROW = RowType.of([("id", BigIntType()), ("s", VarCharType()), ("d", DoubleType())], nullable=False)
ID, S = FieldReferenceExpression("id", BigIntType(), 0, 0), FieldReferenceExpression("s", VarCharType(), 0, 1)


DEFAULT = LookupSettings()


class Table(SqlTable):
    DATABASE, name, columns = "Test", "t", {"id": "bigint", "s": "text", "d": ""}

    def operand(self, name: str, type_: LogicalType, *, ordered: bool = False) -> str | None:
        return None if isinstance(type_, VarCharType) else self.quoted(name)


class Function(LookupFunction):
    def __init__(self, *operands: str) -> None:
        self.operands = operands


@dataclass
class Source(SqlTableSource):
    query: SqlQuery[Any]
    lookup: LookupSettings = DEFAULT

    def get_scan_runtime_provider(self, context: object) -> Any:
        return self.query.sql()

    def whole_table(self) -> Any:
        return self.query.sql()

    def lookup_function(self, keys: RowType, operands: tuple[str, ...]) -> LookupFunction:
        return Function(*operands)


def source() -> Source:
    return Source(SqlQuery.of(Table(), ROW))


def aggregate(name: str, *args: FieldReferenceExpression, distinct: bool = False) -> AggregateExpression:
    return AggregateExpression(BUILT_INS_BY_NAME[name], args, BigIntType(), distinct)


def test_what_the_database_cannot_evaluate_remains() -> None:
    changed = source()
    over = CallExpression(BUILT_INS_BY_NAME["GREATER_THAN"], (ID, ValueLiteralExpression(1, BigIntType(nullable=False))), BooleanType())
    same = CallExpression(BUILT_INS_BY_NAME["EQUALS"], (S, S), BooleanType())
    result = changed.apply_filters([over, same])
    assert (result.accepted_filters, result.remaining_filters) == ((over,), (same,))
    changed.apply_projection([(1,)], RowType(ROW.fields[1:2], nullable=False))
    changed.apply_limit(3)
    changed.query = replace(changed.query, order=('"id" DESC',))
    assert changed.query.sql("TRUE") == 'SELECT "s" FROM "t" WHERE ("id" > 1) AND TRUE ORDER BY "id" DESC LIMIT 3'
    assert source().query.sql() == 'SELECT "id", "s", "d" FROM "t"'


def test_counts_of_groups_are_pushed_down() -> None:
    changed = source()
    produced = RowType.of([("id", BigIntType()), ("a", BigIntType()), ("b", BigIntType())], nullable=False)
    assert changed.apply_aggregates([(0,)], [aggregate("COUNT"), aggregate("COUNT", S)], produced)
    assert changed.query.sql() == 'SELECT "id", COUNT(*), COUNT("s") FROM "t" GROUP BY "id"'
    assert changed.query.row_type == produced


@pytest.mark.parametrize(
    ("grouping", "call"),
    [
        ([(0,), (1,)], aggregate("COUNT")),
        ([(1,)], aggregate("COUNT")),
        ([(2,)], aggregate("COUNT")),
        ([()], aggregate("SUM", ID)),
        ([()], aggregate("COUNT", ID, distinct=True)),
    ],
    ids=["two sets", "texts", "floating-point numbers", "a sum", "distinct"],
)
def test_other_aggregates_stay_in_the_engine(grouping: list[tuple[int, ...]], call: AggregateExpression) -> None:
    changed = source()
    produced = RowType.of([*((f"k{i}", IntType()) for i in range(len(grouping[0]))), ("a", BigIntType())], nullable=False)
    assert not changed.apply_aggregates(grouping, [call], produced)
    assert changed.query.sql() == source().query.sql()


def lookup(changed: Source, *positions: int) -> Any:
    return changed.get_lookup_runtime_provider(LookupTableSource.LookupContext(tuple((position,) for position in positions)))


def test_rows_are_looked_up_by_operands() -> None:
    provider = lookup(source(), 0)
    assert type(provider) is LookupFunctionProvider
    assert (provider.function.operands, provider.max_retries) == (('"id"',), 3)


@pytest.mark.parametrize(
    ("position", "problem"),
    [(1, "'s', which is STRING, declared as text in Test"), (2, "'d', which is DOUBLE, without a declared type in Test")],
)
def test_columns_that_are_compared_in_another_way_are_no_keys(position: int, problem: str) -> None:
    with pytest.raises(
        ValidationException, match=rf"Rows of Test's table 't' cannot be looked up by column {problem}: keys are integers"
    ) as caught:
        lookup(source(), 0, position)
    assert "'lookup.cache' = 'FULL'" in (caught.value.hint or "")


def test_a_cache_of_the_whole_table_supports_all_keys() -> None:
    provider = lookup(replace(source(), lookup=LookupSettings(caches_all=True)), 1)
    assert isinstance(provider, FullCachingLookupProvider)
    assert provider.scan_provider == 'SELECT "id", "s", "d" FROM "t"'
