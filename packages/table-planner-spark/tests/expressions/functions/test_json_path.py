import pytest

from table_planner_spark.expressions.functions.json_path import spark_path_of


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("$.a[0]", ('$["a"][0]', True)),
        ("lax $['a b']", ('$["a b"]', False)),
        ("$.[0]", ("$[0]", True)),
    ],
)
def test_definite_paths_are_followed_by_spark(path: str, expected: tuple[str, bool]) -> None:
    assert spark_path_of(path) == expected


@pytest.mark.parametrize("path", [None, 1, "$.a[*]", "$.*", "$..a", "$[-1]", "$[0, 1]", "$[0:1]", "$['a\"b']", "no path"])
def test_other_paths_are_not(path: object) -> None:
    assert spark_path_of(path) is None
