from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from table_runtime.streaming.operators.set_operation import SetOperation
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Change, Give

ROW = pa.schema([("a", pa.int32()), ("b", pa.string())])


def test_distinct_emits_a_row_once_and_retracts_it_with_its_last_copy(give: Give) -> None:
    changes = [("+I", (1, "x")), ("+I", (1, "x")), ("-D", (1, "x")), ("-U", (1, "x")), ("+U", (2, "y")), ("+I", (2, "y"))]
    given = give(SetOperation(ROW, 1, "Union", keeps_duplicates=False), ROW, changes)
    assert given == [("+I", (1, "x")), ("-D", (1, "x")), ("+I", (2, "y"))]


def test_nulls_are_equal_and_so_are_nans(give: Give) -> None:
    schema = pa.schema([("x", pa.float64())])
    changes = [("+I", (None,)), ("+I", (None,)), ("+I", (math.nan,)), ("+I", (math.nan,)), ("+I", (0.0,)), ("+I", (-0.0,))]
    given = give(SetOperation(schema, 1, "Union", keeps_duplicates=False), schema, changes)
    assert [repr(row) for _, row in given] == ["(None,)", "(nan,)", "(0.0,)"]


def test_a_row_is_retracted_as_it_was_given(give: Give) -> None:
    schema = pa.schema([("x", pa.float64())])
    changes = [("+I", (-0.0,)), ("+I", (0.0,)), ("-D", (-0.0,)), ("-D", (0.0,))]
    assert [f"{kind}{row}" for kind, row in give(SetOperation(schema, 1, "Union", keeps_duplicates=False), schema, changes)] == [
        "+I(0.0,)",
        "-D(0.0,)",
    ]


def test_a_retraction_of_an_unknown_row_is_ignored(give: Give) -> None:
    changes = [("-D", (1, "x")), ("+I", (1, "x")), ("-D", (1, "x")), ("-D", (1, "x")), ("+I", (1, "x"))]
    given = give(SetOperation(ROW, 1, "Union", keeps_duplicates=False), ROW, changes)
    assert given == [("+I", (1, "x")), ("-D", (1, "x")), ("+I", (1, "x"))]


def test_except_all_emits_the_remaining_copies(give: Give) -> None:
    changes = [
        (0, ("+I", (1, "x"))),
        (0, ("+I", (1, "x"))),
        (1, ("+I", (1, "x"))),
        (1, ("+I", (1, "x"))),
        (1, ("+I", (1, "x"))),
        (1, ("-D", (1, "x"))),
    ]
    given = give(SetOperation(ROW, 2, "Minus", keeps_duplicates=True), ROW, changes)
    assert [kind for kind, _ in given] == ["+I", "+I", "-D", "-D"]


EXPECTED: dict[tuple[str, bool], Callable[[Counter[Any], Counter[Any]], Counter[Any]]] = {
    ("Union", False): lambda left, right: Counter({*left, *right}),
    ("Intersect", False): lambda left, right: Counter({*left} & {*right}),
    ("Intersect", True): lambda left, right: left & right,
    ("Minus", False): lambda left, right: Counter({*left} - {*right}),
    ("Minus", True): lambda left, right: left - right,
}


@pytest.mark.parametrize("seed", rounds(5))
@pytest.mark.parametrize(("kind", "keeps"), EXPECTED)
def test_changes_produce_the_result_for_any_batch_boundaries(
    kind: str, keeps: bool, seed: int, give: Give, random_changelog: Callable[..., list[Change]], table_of: Callable[..., list[str]]
) -> None:
    def row(chance: random.Random) -> tuple[Any, ...]:
        return chance.choice([None, 1, 2]), chance.choice(["x", None])

    sides = [random_changelog(2 * seed, row), random_changelog(2 * seed + 1, row)]
    chance = random.Random(seed)
    order = [0] * len(sides[0]) + [1] * len(sides[1])
    chance.shuffle(order)
    waiting = [iter(side) for side in sides]
    changes = [(side, next(waiting[side])) for side in order]
    left, right = (Counter(table_of(side)) for side in sides)
    operator = SetOperation(ROW, 2, kind, keeps_duplicates=keeps)
    whole = give(operator, ROW, changes)
    assert Counter(table_of(whole)) == EXPECTED[kind, keeps](left, right)
    assert give(operator, ROW, changes, 1) == whole
    assert give(operator, ROW, changes, 3) == whole
