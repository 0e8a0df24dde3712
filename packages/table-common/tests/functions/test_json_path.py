import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.json_path import JsonPathStep, parse_json_path


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("$", ()),
        ("$.a", (JsonPathStep(("a",)),)),
        ("$.a.b", (JsonPathStep(("a",)), JsonPathStep(("b",)))),
        ("$[0]", (JsonPathStep((0,)),)),
        ("$[-1]", (JsonPathStep((-1,)),)),
        ("$[0, 2]", (JsonPathStep((0, 2)),)),
        ("$['a b']", (JsonPathStep(("a b",)),)),
        ("$[\"a\", 'b']", (JsonPathStep(("a", "b")),)),
        (r"$['it\'s']", (JsonPathStep(("it's",)),)),
        ("$.['a b']", (JsonPathStep(("a b",)),)),
        ("$[1:3]", (JsonPathStep(window=(1, 3)),)),
        ("$[:2]", (JsonPathStep(window=(None, 2)),)),
        ("$[*]", (JsonPathStep(is_wildcard=True),)),
        ("$.*", (JsonPathStep(is_wildcard=True),)),
        ("$..a", (JsonPathStep(("a",), descends=True),)),
        ("$..*", (JsonPathStep(is_wildcard=True, descends=True),)),
    ],
)
def test_steps(text: str, steps: tuple[JsonPathStep, ...]) -> None:
    assert parse_json_path(text).steps == steps


@pytest.mark.parametrize(("text", "is_strict"), [("$.a", True), ("strict $.a", True), ("lax $.a", False), ("  LAX $.a", False)])
def test_a_path_is_strict_by_default(text: str, is_strict: bool) -> None:
    assert parse_json_path(text).is_strict is is_strict


@pytest.mark.parametrize(
    ("text", "is_definite"), [("$", True), ("$.a[0]['b']", True), ("$.a[0, 1]", False), ("$.*", False), ("$..a", False)]
)
def test_a_definite_path_selects_one_value(text: str, is_definite: bool) -> None:
    assert parse_json_path(text).is_definite is is_definite


@pytest.mark.parametrize("text", ["", "a", "lax", "$a", "$.", "$[", "$['a]", "$[?(@.a)]", "$.a[x]"])
def test_a_text_that_is_no_path_is_an_error(text: str) -> None:
    with pytest.raises(TableRuntimeException, match="is not a JSON path"):
        parse_json_path(text)


def test_an_index_of_too_many_digits_is_an_error_that_says_so() -> None:
    with pytest.raises(TableRuntimeException, match="is not a JSON path: it has an index of too many digits"):
        parse_json_path(f"$[{'9' * 10_000}]")
