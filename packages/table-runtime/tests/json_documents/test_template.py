"""Templates of documents."""

from __future__ import annotations

from typing import Any

import pytest

from table_runtime.json_documents.template import Slot, template_of


def slot(number: int) -> Slot:
    return Slot(f"\0{number}\0")


@pytest.mark.parametrize(
    ("text", "literals", "quoted", "document"),
    [
        ('{"a":1,"b":"x"}', (b'{"a":', b',"b":"', b'"}'), (False, True), {"a": slot(0), "b": slot(1)}),
        ('["x","y",null]', (b'["', b'","', b'",', b"]"), (True, True, False), [slot(0), slot(1), slot(2)]),
        ('{ "a" : [ true ] }', (b'{ "a" : [ ', b" ] }"), (False,), {"a": [slot(0)]}),
        ('"é"', (b'"', b'"'), (True,), slot(0)),
        ("-1.5e3", (b"", b""), (False,), slot(0)),
        ('{"é":{},"a":1,"a":2}', ('{"é":{},"a":'.encode(), b',"a":', b"}"), (False, False), {"é": {}, "a": slot(1)}),
    ],
)
def test_template(text: str, literals: Any, quoted: Any, document: Any) -> None:
    template = template_of(text)
    assert template is not None
    assert (template.literals, template.quoted, template.document) == (literals, quoted, document)


@pytest.mark.parametrize(
    "text", ["", "{}", "[[]]", "{", '{"a":1', '{"a":1}}', '{"a":nan}', "[01]", "[1,]", '{"a" 1}', "a", "[" * 501 + "1" + "]" * 501]
)
def test_texts_without_a_template(text: str) -> None:
    assert template_of(text) is None


def test_a_document_of_many_values_has_no_template() -> None:
    assert template_of(f"[{'1,' * 199}1]") is not None
    assert template_of(f"[{'1,' * 200}1]") is None
