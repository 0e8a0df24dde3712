from typing import Any

import pytest

from table_runtime.kernels.support.json_path import PathError, finder

VALUE = {"a": [1, 2, {"b": 3}], "o": {"x": 4, "y": None}}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("$.a[0]", [1]),
        ("$.a[-1].b", [3]),
        ("$.o.y", [None]),
        ("lax $.missing", []),
        ("lax $.a[7]", []),
        ("lax $.o[0]", []),
        ("$.a[0, 1]", [[1, 2]]),
        ("$.a[1:]", [[2, {"b": 3}]]),
        ("$.o.*", [[4, None]]),
        ("$.a[*]", [[1, 2, {"b": 3}]]),
        ("lax $..b", [[3]]),
        ("$.o['x', 'z']", [[4]]),
    ],
)
def test_what_a_path_selects(path: str, found: list[Any]) -> None:
    assert finder(path)(VALUE) == found


@pytest.mark.parametrize("path", ["$.missing", "$.a[7]", "$.o[0]", "$.a.b"])
def test_a_strict_path_that_does_not_fit_is_an_error(path: str) -> None:
    with pytest.raises(PathError):
        finder(path)(VALUE)
