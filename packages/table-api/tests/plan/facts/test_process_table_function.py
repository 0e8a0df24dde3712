"""What process table functions demand of their tables, and which changes they emit."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from table_api.operations import FilterQueryOperation, ProcessTableFunctionQueryOperation, TableArgument, ValuesQueryOperation
from table_api.operations.changelog import ALL_KINDS, INSERTS, DeleteKind, ModifyKind, UpdateKind
from table_api.plan.facts.record import FULL, NO_KEYS, UPSERT, Demand, InputFacts, decisions, facts_of, kinds_of_changes
from table_common.catalog import ResolvedSchema
from table_common.connector import RowKind
from table_common.data import Row
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression
from table_common.functions import ArgumentHint, ArgumentTrait, Monotonicity, ProcessTableFunction, UserFunction
from table_common.types import BooleanType, IntType

TABLE = FilterQueryOperation(
    ValueLiteralExpression(True, BooleanType()), ValuesQueryOperation((), ResolvedSchema.physical([("a", IntType()), ("b", IntType())]))
)
KEY = FieldReferenceExpression("a", IntType(), 0, 0)
UPDATES = frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})
SET, SUPPORT = ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.SUPPORT_UPDATES


def call(*traits: ArgumentTrait, kinds: Any = None, partition_by: Any = (KEY,), order_by: Any = ()) -> ProcessTableFunctionQueryOperation:
    class Function(ProcessTableFunction[int]):
        def eval(self, r: Annotated[Row, ArgumentHint(*traits)]) -> Any: ...

        def get_changelog_mode(self, changelog_context: Any) -> Any:
            changelog_context.table_kinds("r")
            return changelog_context.required_kinds if kinds == "required" else kinds

    Function.eval.__annotations__["r"] = Annotated[Row, ArgumentHint(*traits)]
    return ProcessTableFunctionQueryOperation(UserFunction(Function(), "f"), (TABLE,), (TableArgument("r", partition_by, order_by),))


def facts(kinds: Any, *keys: int) -> InputFacts:
    return InputFacts(kinds, frozenset({frozenset(keys)}) if keys or kinds != INSERTS else NO_KEYS, (Monotonicity.NOT_MONOTONIC,) * 2)


def demands(node: ProcessTableFunctionQueryOperation, demand: Demand, one: InputFacts) -> list[Demand]:
    return [decision.demands[0] for decision in decisions(node, demand, [one])]


def test_a_table_is_insert_only_unless_the_function_supports_updates() -> None:
    assert kinds_of_changes(call(SET), [INSERTS]) == INSERTS
    with pytest.raises(
        ValidationException, match=r"(?s)The table 'r' of f must be insert-only, but it updates or deletes rows.*SUPPORT_UPDATES"
    ):
        kinds_of_changes(call(SET), [UPDATES])
    assert kinds_of_changes(call(SET, SUPPORT), [UPDATES]) == INSERTS
    assert kinds_of_changes(call(SET, SUPPORT, kinds="required"), [UPDATES]) == ALL_KINDS


def test_changes_are_not_sorted() -> None:
    from table_api.operations import SortOrder

    node = call(SET, SUPPORT, order_by=(SortOrder(KEY, True, True),))
    with pytest.raises(ValidationException, match="has ORDER BY, but it updates or deletes rows"):
        kinds_of_changes(node, [UPDATES])


def test_rows_by_the_key_of_the_partition_suffice() -> None:
    by_key = Demand(UpdateKind.ONLY_UPDATE_AFTER, DeleteKind.DELETE_BY_KEY)
    assert demands(call(SET, SUPPORT), FULL, facts(UPDATES, 0)) == [by_key, FULL]
    assert demands(call(SET, SUPPORT), FULL, facts(UPDATES, 0, 1)) == [FULL]
    assert demands(call(SET, SUPPORT, partition_by=()), FULL, facts(UPDATES, 0)) == [FULL]


def test_traits_require_more() -> None:
    before = call(SET, SUPPORT, ArgumentTrait.REQUIRE_UPDATE_BEFORE)
    assert demands(before, FULL, facts(ALL_KINDS, 0))[0] == Demand(UpdateKind.BEFORE_AND_AFTER, DeleteKind.DELETE_BY_KEY)
    full = call(SET, SUPPORT, ArgumentTrait.REQUIRE_FULL_DELETE)
    assert demands(full, FULL, facts(ALL_KINDS, 0))[0] == Demand(UpdateKind.ONLY_UPDATE_AFTER, DeleteKind.FULL_DELETE)


def test_updates_without_the_row_before_need_a_reader_by_key() -> None:
    upserts = call(SET, SUPPORT, kinds=[RowKind.INSERT, RowKind.UPDATE_AFTER])
    assert demands(upserts, FULL, facts(INSERTS)) == []
    assert demands(upserts, UPSERT, facts(INSERTS)) == [FULL]


def test_the_partition_is_the_key_of_upserts() -> None:
    keys = facts_of(ProcessTableFunctionQueryOperation).keys
    assert keys is not None
    assert keys(call(SET, kinds="required"), [NO_KEYS]) == frozenset({frozenset({0})})
    assert keys(call(SET), [NO_KEYS]) == NO_KEYS
    assert keys(call(SET, kinds=list(RowKind)), [NO_KEYS]) == NO_KEYS
    assert keys(call(SET, kinds="required", partition_by=()), [NO_KEYS]) == NO_KEYS


def test_a_function_may_ask_for_its_tables_only() -> None:
    class Wrong(ProcessTableFunction[int]):
        def eval(self, r: Annotated[Row, ArgumentHint(SET)]) -> Any: ...

        def get_changelog_mode(self, changelog_context: Any) -> Any:
            return changelog_context.table_kinds("q")

    node = ProcessTableFunctionQueryOperation(UserFunction(Wrong(), "f"), (TABLE,), (TableArgument("r", (KEY,)),))
    with pytest.raises(ValidationException, match="'q'"):
        kinds_of_changes(node, [INSERTS])
