"""The node of process table functions: its columns, and the kinds of rows that it emits."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from table_api.operations import ProcessTableFunctionQueryOperation, TableArgument, ValuesQueryOperation
from table_common.catalog import ResolvedSchema
from table_common.connector import ChangelogMode, RowKind
from table_common.data import Row
from table_common.exceptions import TableException, ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.functions import ArgumentHint, ArgumentTrait, ProcessTableFunction, UserFunction
from table_common.types import IntType, TimestampType

TABLE = ValuesQueryOperation((), ResolvedSchema.physical([("a", IntType()), ("rowtime", TimestampType(3))]))
KEY = FieldReferenceExpression("a", IntType(), 0, 0)
TIME = FieldReferenceExpression("rowtime", TimestampType(3), 0, 1)


class Sets(ProcessTableFunction[int]):
    kinds: Any = None

    def eval(self, r: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)]) -> Any: ...

    def get_changelog_mode(self, changelog_context: Any) -> Any:
        return self.kinds


class Rows(ProcessTableFunction[int]):
    def eval(self, r: Annotated[Row, ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE)]) -> Any: ...

    def get_changelog_mode(self, changelog_context: Any) -> Any:
        return ChangelogMode.upsert()


def call(function: Any, argument: TableArgument) -> ProcessTableFunctionQueryOperation:
    return ProcessTableFunctionQueryOperation(UserFunction(function), (TABLE,), (argument,))


def test_names_that_occur_before_get_a_number() -> None:
    node = call(Sets(), TableArgument("r", (KEY, TIME), (), TIME))
    assert node.resolved_schema.column_names == ("a", "rowtime", "EXPR$0", "rowtime0")
    assert node.resolved_schema.column_types[-1] == TimestampType(3)
    assert not node.is_single
    assert dict(node.summary_details()) == {"function": "Sets", "tables": ["r PARTITION BY a, rowtime"], "onTime": ["rowtime"]}


def test_a_function_inserts_rows_unless_it_says_otherwise() -> None:
    function = Sets()
    node = call(function, TableArgument("r", (KEY,)))
    node.require_insertions()
    function.kinds = ChangelogMode.upsert()
    with pytest.raises(TableException, match="Sets emits updates or deletions, which tables of batch mode do not have"):
        node.require_insertions()
    function.kinds = [RowKind.INSERT]
    node.require_insertions()
    function.kinds = "all"
    with pytest.raises(ValidationException, match="get_changelog_mode of Sets returns kinds of rows, but got 'all'"):
        node.require_insertions()
    function.kinds = []
    with pytest.raises(ValidationException, match="returns kinds of rows"):
        node.require_insertions()


def test_rows_that_are_alone_have_no_updates() -> None:
    node = call(Rows(), TableArgument("r"))
    assert node.is_row_by_row
    with pytest.raises(ValidationException, match="Rows emits updates or deletions by key, but its table has row semantics"):
        node.require_insertions()
