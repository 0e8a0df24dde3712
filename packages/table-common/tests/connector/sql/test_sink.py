"""A sink: conditions of DELETE, and the primary key that identifies rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from table_common.catalog import Column
from table_common.connector import ChangelogMode
from table_common.connector.sql import SqlTable, SqlTableSink
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, BooleanType, LogicalType, RowType, VarCharType

ROW = RowType.of([("id", BigIntType()), ("s", VarCharType()), ("n", BigIntType())], nullable=False)


class Table(SqlTable):
    DATABASE, name, columns = "Test", "t", {"id": "bigint", "s": "text", "n": "bigint"}

    def operand(self, name: str, type_: LogicalType, *, ordered: bool = False) -> str | None:
        return None if isinstance(type_, VarCharType) else self.quoted(name)


TABLE = Table()


@dataclass
class Sink(SqlTableSink):
    primary_key: tuple[str, ...] = ("id",)
    table: SqlTable = TABLE
    row_type: RowType = ROW
    conditions: tuple[str, ...] = ()
    is_row_level: bool = False

    def get_sink_runtime_provider(self, context: object) -> Any:
        return None

    def execute_truncation(self) -> None: ...

    def execute_deletion(self) -> int | None: ...


def test_a_table_with_a_key_takes_upserts_and_one_without_takes_insertions() -> None:
    assert Sink().get_changelog_mode(ChangelogMode.all()) == ChangelogMode.upsert()
    assert Sink(()).get_changelog_mode(ChangelogMode.all()) == ChangelogMode.insert_only()


def test_a_delete_is_pushed_down_with_all_its_conditions_or_not_at_all() -> None:
    null, same = (
        CallExpression(BUILT_INS_BY_NAME[name], (FieldReferenceExpression("s", VarCharType(), 0, 1),) * count, BooleanType())
        for name, count in (("IS_NULL", 1), ("EQUALS", 2))
    )
    sink = Sink()
    assert not sink.apply_delete_filters([null, same])
    assert sink.conditions == ()
    assert sink.apply_delete_filters([null])
    assert sink.conditions == ('("s" IS NULL)',)


def test_update_and_delete_consume_the_key_and_the_updated_columns() -> None:
    deleting, updating = Sink(), Sink()
    deleting.apply_row_level_delete(None)
    updating.apply_row_level_update([Column.physical("s", VarCharType())], None)
    assert (deleting.row_type.field_names, deleting.is_row_level) == (("id",), True)
    assert (updating.row_type.field_names, updating.is_row_level) == (("s", "id"), True)


@pytest.mark.parametrize(
    ("key", "problem", "hint"),
    [
        ((), "needs a primary key to identify rows of Test's table 't'; none is declared", "PRIMARY KEY (…) NOT ENFORCED"),
        (
            ("s",),
            r"the primary key \(s\), but Test compares column 's' \(STRING, declared as text in Test\) in another way",
            "keys are integers",
        ),
    ],
)
def test_update_and_delete_need_a_key_that_identifies_rows(key: tuple[str, ...], problem: str, hint: str) -> None:
    for change in (lambda: Sink(key).apply_row_level_delete(None), lambda: Sink(key).apply_row_level_update([], None)):
        with pytest.raises(ValidationException, match=problem) as caught:
            change()
        assert hint in (caught.value.hint or "")


def test_update_cannot_set_the_key() -> None:
    with pytest.raises(ValidationException, match="UPDATE cannot set id of Test's table 't'"):
        Sink().apply_row_level_update([Column.physical("id", BigIntType())], None)
