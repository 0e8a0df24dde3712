"""TO_CHANGELOG and FROM_CHANGELOG: arguments in SQL and the Table API, and what they may say."""

from __future__ import annotations

from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.expressions import descriptor, map_
from table_api.operations import FromChangelogQueryOperation, QueryOperation, ToChangelogQueryOperation
from table_api.operations.sql_text import query_text
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.connector import RowKind
from table_common.exceptions import TableException, ValidationException
from table_common.tree import preorder

ALL_NAMES = tuple((kind, kind.name) for kind in RowKind)


@pytest.fixture
def convert(session: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(session, "is_streaming_mode", True, raising=False)

    def run(text: str) -> Any:
        operation = convert_statement(parse_statement(text), session, text)
        kinds = (ToChangelogQueryOperation, FromChangelogQueryOperation)
        return next(node for node in preorder(operation, QueryOperation) if isinstance(node, kinds))

    return run


@pytest.mark.parametrize(
    "call",
    [
        "TO_CHANGELOG(TABLE t)",
        "TABLE(TO_CHANGELOG(TABLE t))",
        "TO_CHANGELOG((SELECT * FROM t))",
        "to_changelog(INPUT => TABLE t, op => DEFAULT, op_mapping => NULL, uid => 'x')",
        "TO_CHANGELOG(input => TABLE t, op_mapping => CAST(NULL AS MAP<STRING, STRING>))",
        "LATERAL TO_CHANGELOG(TABLE t)",
    ],
)
def test_without_further_arguments_kinds_are_written_by_name_to_the_column_op(convert: Any, call: str) -> None:
    node = convert(f"SELECT * FROM {call}")
    assert node.codes == ALL_NAMES
    assert node.resolved_schema.column_names == ("op", "name", "age", "pay", "r")
    assert str(node.resolved_schema.column_types[0]) == "STRING"


@pytest.mark.parametrize(
    "arguments",
    [
        "TABLE t, DESCRIPTOR(o), MAP['INSERT, UPDATE_AFTER', 'u', 'DELETE', 'd']",
        "op_mapping => MAP['DELETE', 'd', 'UPDATE_AFTER,INSERT,', 'u'], op => DESCRIPTOR(o), input => TABLE t",
        "TABLE t, DESCRIPTOR(o), MAP[CAST('INSERT' AS STRING), 'u', 'UPDATE_AFTER', 'u', 'DELETE', 'd']",
    ],
)
def test_a_column_name_and_codes_may_be_chosen(convert: Any, arguments: str) -> None:
    node = convert(f"SELECT * FROM TO_CHANGELOG({arguments})")
    assert node.op_name == "o"
    assert node.codes == ((RowKind.INSERT, "u"), (RowKind.UPDATE_AFTER, "u"), (RowKind.DELETE, "d"))


def test_from_changelog_takes_the_column_of_codes_away(convert: Any) -> None:
    node = convert("SELECT * FROM FROM_CHANGELOG(TABLE t, DESCRIPTOR(name), MAP['c, r', 'INSERT', 'd', ' DELETE '])")
    assert node.codes == (("c", RowKind.INSERT), ("r", RowKind.INSERT), ("d", RowKind.DELETE))
    assert node.resolved_schema.column_names == ("age", "pay", "r")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("TO_CHANGELOG()", "The argument 'input' of TO_CHANGELOG must be a table"),
        ("TO_CHANGELOG(1)", "The argument 'input' of TO_CHANGELOG must be a table"),
        ("TO_CHANGELOG(TABLE t PARTITION BY name)", "The table of TO_CHANGELOG does not accept PARTITION BY"),
        ("FROM_CHANGELOG(TABLE t ORDER BY name)", "The table of FROM_CHANGELOG does not accept ORDER BY"),
        ("TO_CHANGELOG((SELECT name, name FROM t))", "name"),
        ("TO_CHANGELOG(TABLE t, foo => 1)", "Argument 'foo'"),
        ("TO_CHANGELOG(input => TABLE t, DESCRIPTOR(o))", "a positional argument after a named one"),
        ("TO_CHANGELOG(TABLE t, input => TABLE t)", "got the argument 'input' twice"),
        ("TO_CHANGELOG(TABLE t, DEFAULT, DEFAULT, DEFAULT, 'x', 1)", "at most 5 arguments, but got 6"),
        ("TO_CHANGELOG(TABLE t, on_time => DESCRIPTOR(name))", "takes no time column"),
        ("TO_CHANGELOG(TABLE t, 'o')", "The argument 'op' of TO_CHANGELOG must name one column"),
        ("TO_CHANGELOG(TABLE t, DESCRIPTOR(a, b))", "The argument 'op' of TO_CHANGELOG must name one column"),
        ("TO_CHANGELOG(TABLE t, DESCRIPTOR(name))", "adds a column 'name', but its table has a column of that name"),
        ("TO_CHANGELOG(TABLE t, DEFAULT, MAP['insert', 'i'])", "Kind of change 'insert'"),
        ("TO_CHANGELOG(TABLE t, DEFAULT, MAP['', 'i'])", "Kind of change ''"),
        ("TO_CHANGELOG(TABLE t, DEFAULT, MAP['INSERT', 'i', 'DELETE, INSERT', 'd'])", "op_mapping names INSERT twice"),
        ("TO_CHANGELOG(TABLE t, DEFAULT, MAP['INSERT', 1])", "must be a map of constant texts"),
        ("TO_CHANGELOG(TABLE t, DEFAULT, MAP['INSERT', CAST(NULL AS STRING)])", "must be a map of constant texts"),
        ("TO_CHANGELOG(TABLE t, DEFAULT, MAP[UPPER('insert'), 'i'])", "must be a map of constant texts"),
        ("FROM_CHANGELOG(TABLE t)", "Column 'op'"),
        ("FROM_CHANGELOG(TABLE t, DESCRIPTOR(age))", "FROM_CHANGELOG over column 'age' .*STRING.* INT"),
        ("FROM_CHANGELOG(TABLE t, DESCRIPTOR(name), MAP['c', 'FOO'])", "Kind of change 'FOO'"),
        ("FROM_CHANGELOG(TABLE t, DESCRIPTOR(name), MAP['c', 'INSERT', 'r', 'INSERT'])", "op_mapping names INSERT twice"),
        (
            "FROM_CHANGELOG(TABLE t, DESCRIPTOR(name), MAP['c', 'INSERT', 'd, c', 'DELETE'])",
            "maps the code 'c' to two kinds: INSERT and DELETE",
        ),
        ("FROM_CHANGELOG(TABLE t, DESCRIPTOR(name), MAP['c', 'INSERT', 'u', 'UPDATE_AFTER'])", "none for UPDATE_BEFORE"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_refused_with_its_position(convert: Any, call: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message) as error:
        convert(f"SELECT * FROM {call}")
    assert error.value.position is not None


def test_a_session_in_batch_mode_refuses_both(session: Any) -> None:
    for name in ("TO_CHANGELOG", "FROM_CHANGELOG"):
        text = f"SELECT * FROM {name}(TABLE t, DESCRIPTOR(name))"
        with pytest.raises(TableException, match=f"{name} is for streaming mode, but this session is in batch mode"):
            convert_statement(parse_statement(text), session, text)


@pytest.mark.parametrize(
    "call",
    [
        "TO_CHANGELOG(TABLE t)",
        "TO_CHANGELOG(TABLE t, DESCRIPTOR(`my op`), MAP['INSERT, UPDATE_AFTER', 'it''s', 'DELETE', 'd'])",
        "FROM_CHANGELOG((SELECT name AS op, age FROM t))",
        "FROM_CHANGELOG(TABLE t, DESCRIPTOR(name), MAP['c, r', 'INSERT', 'd', 'DELETE'])",
    ],
)
def test_the_sql_text_of_a_call_means_the_same(convert: Any, call: str) -> None:
    node = convert(f"SELECT * FROM {call}")
    read = convert(query_text(node))
    assert read.codes == node.codes
    assert read.resolved_schema.column_names == node.resolved_schema.column_names


def test_the_table_api_takes_the_arguments_behind_the_table() -> None:
    settings = EnvironmentSettings.new_instance().in_streaming_mode().build()
    env = TableEnvironment.create(settings)
    table = env.sql_query("SELECT * FROM (VALUES ('c', 1)) AS t(o, n)")
    codes = map_("c, r", "INSERT", "d", "DELETE").as_argument("op_mapping")
    for read in (table.from_changelog(descriptor("o"), codes), table.from_changelog(codes, descriptor("o").as_argument("op"))):
        assert isinstance(read.query_operation, FromChangelogQueryOperation)
        assert read.query_operation.codes == (("c", RowKind.INSERT), ("r", RowKind.INSERT), ("d", RowKind.DELETE))
        assert read.get_resolved_schema().column_names == ("n",)
    assert table.to_changelog().get_resolved_schema().column_names == ("op", "o", "n")
    written = table.to_changelog().query_operation
    assert isinstance(written, ToChangelogQueryOperation)
    assert written.codes == ALL_NAMES
    with pytest.raises(ValidationException, match="got the argument 'input' twice"):
        table.to_changelog(descriptor("x").as_argument("input"))
