"""JSON that is nested deep: read up to one bound, whatever the stack, and refused beyond it with a clear error."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException
from table_common.json_text import MOST_LEVELS, MOST_LEVELS_OF_TYPES, require_levels
from table_common.types import RowType, parse_logical_type
from table_runtime.formats import file_format
from table_runtime.formats.json.line_parser import LineParser


def nested(levels: int, kind: str) -> str:
    return "[" * levels + "]" * levels if kind == "arrays" else '{"a":' * levels + "1" + "}" * levels


def read(text: str) -> list[Any]:
    row_type = RowType.of([("s", parse_logical_type("STRING"))])
    columns, _ = LineParser(row_type, "json").parse([text.encode()], lambda position: f"line {position + 1}")
    return list(columns[0].to_pylist())


@pytest.mark.parametrize("kind", ["arrays", "objects"])
def test_a_value_as_deep_as_the_bound_is_read_as_text(kind: str) -> None:
    value = nested(MOST_LEVELS - 1, kind)
    assert read(f'{{"s":{value}}}') == [value]


@pytest.mark.parametrize("kind", ["arrays", "objects"])
@pytest.mark.parametrize("levels", [MOST_LEVELS, 100_000])
def test_a_deeper_value_is_a_clear_error(kind: str, levels: int) -> None:
    with pytest.raises(TableRuntimeException, match=rf"line 1: .* more than {MOST_LEVELS} levels deep"):
        read(f'{{"s":{nested(levels, kind)}}}')


def test_the_bound_does_not_depend_on_the_stack_of_the_caller() -> None:
    before = sys.getrecursionlimit()
    value = nested(MOST_LEVELS - 1, "objects")

    def deeper(frames: int) -> list[Any]:
        return deeper(frames - 1) if frames else read(f'{{"s":{value}}}')

    assert deeper(before // 2) == [value]
    assert sys.getrecursionlimit() == before


def test_signs_in_texts_are_no_levels() -> None:
    assert require_levels('["' + "[" * 1000 + '\\"{", 1]') == 1


@pytest.mark.parametrize("kind", ["arrays", "objects"])
@pytest.mark.parametrize("levels", [400, 100_000])
def test_columns_are_not_inferred_of_deep_values(tmp_path: Path, kind: str, levels: int) -> None:
    file = tmp_path / "deep.json"
    file.write_text(f'{{"a":1}}\n{{"a":{nested(levels, kind)}}}\n')
    with pytest.raises(TableRuntimeException, match=rf"line 2: .* more than {MOST_LEVELS_OF_TYPES} levels deep"):
        file_format("json").infer_type(file, {})


@pytest.mark.parametrize("text", ["null", "\nnull\n", '{"a":1}\nnull\n', "\rnull", " null ", '{"a":1}\n[null]\n'])
def test_columns_are_not_inferred_of_lines_that_are_no_objects(tmp_path: Path, text: str) -> None:
    file = tmp_path / "null.json"
    file.write_text(text)
    with pytest.raises(TableRuntimeException, match=r"null.* is not a JSON object"):
        file_format("json").infer_type(file, {})
