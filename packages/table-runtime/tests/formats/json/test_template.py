"""Templates of JSON objects: fixed text and slots."""

from __future__ import annotations

import pytest

from table_common.types import RowType, parse_logical_type
from table_runtime.formats.json.template import Elements, Entries, Members, Missing, Slot, Template, template_of


def template(line: bytes, *, find_missing: bool = False, **columns: str) -> Template | None:
    row_type = RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False)
    return template_of(line, row_type, find_missing=find_missing)


def test_literals_surround_the_values() -> None:
    found = template(b'{"a":1, "b":"x","c":null}', a="INT", b="STRING")
    assert found is not None
    assert found.literals == (b'{"a":', b', "b":"', b'","c":', b"}")
    assert [(slot.quoted, str(slot.type)) for slot in found.slots] == [(False, "INT"), (True, "STRING"), (False, "None")]
    assert found.root == Members((found.slots[0], found.slots[1]))


def test_nested_values() -> None:
    found = template(
        b'{"r":{"a":1},"l":["x","y"],"m":{"k":2},"n":null,"e":[]}',
        r="ROW<a INT>", l="ARRAY<STRING>", m="MAP<STRING, INT>", n="ROW<a INT>", e="ARRAY<INT>", missing="INT",
    )  # fmt: skip
    assert found is not None
    row, items, entries, null, empty, missing = found.root.fields
    assert isinstance(row, Members)
    assert isinstance(items, Elements)
    assert len(items.items) == 2
    assert isinstance(entries, Entries)
    assert [key.quoted for key in entries.keys] == [True]
    assert (null, empty, missing) == (Missing(), Elements(()), Missing())
    assert b"null" in b"".join(found.literals)


def test_members_that_are_not_read_have_slots_for_their_scalars() -> None:
    found = template(b'{"x":{"y":[1]},"a":2}', a="INT")
    assert found is not None
    assert [slot.type is None for slot in found.slots] == [True, False]
    assert found.root == Members((Slot(1, False, parse_logical_type("INT")),))


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"1", b"[]", b"{", b'{"a":1', b'{"a":1}x', b'{"a" 1}', b'{"a":1,}', b'{,"a":1}', b'{"a":}', b'{a:1}', b'{"a":1 2}'),
        *(b'{"a":1,"a":2}', b'{"a":[1]}', b'{"a":{}}', b'{"r":1}', b'{"r":"x"}', b'{"x":[1,2]}', b'{"a":"x}'),
        b'{"x":' + 60 * b"[" + 60 * b"]" + b"}",
    ],
)  # fmt: skip
def test_lines_without_a_template(line: bytes) -> None:
    assert template(line, a="INT", r="ROW<a INT>") is None


def test_a_missing_field_that_is_required() -> None:
    assert template(b'{"a":1}', a="INT", b="INT") is not None
    assert template(b'{"a":1}', a="INT", b="INT", find_missing=True) is None
    assert template(b'{"a":null,"b":1}', a="INT", b="INT", find_missing=True) is not None
    assert template(b'{"r":{}}', r="ROW<a INT>", find_missing=True) is None
