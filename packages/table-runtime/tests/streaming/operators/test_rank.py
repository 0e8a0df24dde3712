from __future__ import annotations

import ast
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from table_runtime.columns.ordering import SortKey
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.rank import Rank, RankFunction, RankWay
from table_runtime.streaming.state import row_values
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Change, Give

ROW = pa.schema([("p", pa.string()), ("v", pa.int32()), ("id", pa.int32())])
ASCENDING = (SortKey(1, True, True),)
DESCENDING = (SortKey(1, False, False),)


def operator(way: RankWay, end: int | None = 2, start: int = 1, *, has_rank: bool = False, **options: Any) -> Rank:
    schema = ROW.append(pa.field("n", pa.int64())) if has_rank else ROW
    settings = {"partition": (), "orders": ASCENDING, **options}
    return Rank(
        schema, ROW, settings.pop("partition"), settings.pop("orders"), way=way, start=start, end=end, has_rank=has_rank, **settings
    )


def short(given: list[Change]) -> str:
    """Returns the kinds, values and ranks."""
    return " ".join(f"{kind}{row[1]}" + (f"@{row[3]}" if len(row) > 3 else "") for kind, row in given)


def rows(*values: int | None) -> list[Change]:
    return [("+I", ("a", value, number)) for number, value in enumerate(values)]


def test_a_row_that_is_pushed_out_is_deleted_before_the_new_one(give: Give) -> None:
    assert short(give(operator(RankWay.APPEND), ROW, rows(10, 20, 5, 30, 7))) == "+I10 +I20 -D20 +I5 -D10 +I7"


def test_with_the_rank_the_rows_behind_a_new_one_move(give: Give) -> None:
    given = short(give(operator(RankWay.APPEND, 3, has_rank=True), ROW, rows(10, 20, 5)))
    assert given == "+I10@1 +I20@2 -U10@1 +U5@1 -U20@2 +U10@2 +I20@3"


def test_the_best_row_alone_is_updated(give: Give) -> None:
    assert short(give(operator(RankWay.APPEND, 1), ROW, rows(10, 20, 5))) == "+I10 -U10 +U5"


def test_rows_with_equal_keys_keep_their_order(give: Give) -> None:
    given = give(operator(RankWay.APPEND), ROW, rows(1, 1, 1))
    assert [row[2] for _, row in given] == [0, 1]


def test_nulls_stand_where_the_order_puts_them(give: Give) -> None:
    assert short(give(operator(RankWay.APPEND, 1), ROW, rows(1, None))) == "+I1 -U1 +UNone"
    assert short(give(operator(RankWay.APPEND, 1, orders=DESCENDING), ROW, rows(None, 1, 2))) == "+INone -UNone +U1 -U1 +U2"


def test_a_retraction_brings_the_next_row_in(give: Give) -> None:
    changes = [*rows(1, 2, 3), ("-D", ("a", 1, 0)), ("-D", ("a", 3, 2)), ("-D", ("a", 9, 9))]
    assert short(give(operator(RankWay.RETRACT), ROW, changes)) == "+I1 +I2 -D1 +I3 -D3"
    assert short(give(operator(RankWay.RETRACT, has_rank=True), ROW, changes)) == "+I1@1 +I2@2 -U1@1 +U2@1 -U2@2 +U3@2 -D3@2"


def test_a_range_gives_the_ranks_in_it(give: Give) -> None:
    given = short(give(operator(RankWay.APPEND, 3, 2, has_rank=True), ROW, rows(10, 20, -15, 7)))
    assert given == "+I20@2 -U20@2 +U10@2 +I20@3 -U10@2 +U7@2 -U20@3 +U10@3"


def test_updates_by_key_stay_in_their_place_or_move_forward(give: Give) -> None:
    changes: list[Change] = [("+I", ("a", 1, 7)), ("+I", ("a", 1, 8)), ("+U", ("a", 2, 8)), ("+U", ("a", 3, 8)), ("+I", ("a", 2, 9))]
    by_key = {"orders": DESCENDING, "upsert_key": (2,)}
    assert short(give(operator(RankWay.UPDATE, **by_key), ROW, changes)) == "+I1 +I1 -U1 +U2 -U2 +U3 -D1 +I2"
    with_rank = short(give(operator(RankWay.UPDATE, has_rank=True, **by_key), ROW, changes))
    assert with_rank == "+I1@1 +I1@2 -U1@1 +U2@1 -U1@2 +U1@2 -U2@1 +U3@1 -U1@2 +U2@2"


def test_without_rows_before_updates_only_those_after_them_are_given(give: Give) -> None:
    assert short(give(operator(RankWay.APPEND, 1, gives_before=False), ROW, rows(10, 5))) == "+I10 +U5"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (RankFunction.RANK, "+I1@1 +I1@1 -D1@1 -D1@1 +I0@1 +I1@2 +I1@2"),
        (RankFunction.DENSE_RANK, "+I1@1 +I1@1 +I2@2 -D1@1 -D1@1 -D2@2 +I0@1 +I1@2 +I1@2"),
    ],
)
def test_ranks_with_ties_give_all_rows_of_a_rank(function: RankFunction, expected: str, give: Give) -> None:
    given = short(give(operator(RankWay.RETRACT, 2, has_rank=True, function=function), ROW, rows(1, 1, 2, 0)))
    assert given == expected


def test_a_limit_is_finished_when_it_is_full(give: Give, context: Any) -> None:
    limit = operator(RankWay.APPEND, 2, orders=())
    assert short(give(limit, ROW, rows(3, 1, 2))) == "+I3 +I1"
    assert not limit.is_finished(limit.create_state(context))
    assert operator(RankWay.APPEND, 0, orders=()).is_finished(limit.create_state(context))
    assert not operator(RankWay.APPEND, 2).is_finished(limit.create_state(context))


@pytest.mark.parametrize("has_rank", [False, True])
@pytest.mark.parametrize("seed", rounds(4))
def test_changes_lead_to_the_first_rows_wherever_batches_are_cut(
    seed: int,
    has_rank: bool,
    give: Give,
    random_changelog: Callable[..., list[Change]],
    table_of: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = iter(range(10_000))

    def row(chance: random.Random) -> tuple[Any, ...]:
        return chance.choice(["a", "b", None]), chance.choice([None, 1, 2, 3, 4]), next(numbers)

    changes = random_changelog(seed, row, 80)
    for start, end in ((1, 1), (1, 3), (2, 4)):
        one = operator(RankWay.RETRACT, end, start, has_rank=has_rank, partition=(0,))
        whole = give(one, ROW, changes)
        expected = []
        # Rows with equal keys stand in the order in which they came, which their numbers tell.
        present = [ast.literal_eval(text) for text in table_of(changes)]
        for partition in ("a", "b", None):
            ordered = sorted((r for r in present if r[0] == partition), key=lambda r: (r[1] is not None, r[1] or 0, r[2]))
            expected += [(*r, n) if has_rank else r for n, r in enumerate(ordered, 1) if start <= n <= end]
        assert table_of(whole) == sorted(map(repr, expected)), f"seed {seed}"
        assert give(one, ROW, changes, 1) == whole
        with monkeypatch.context() as patch:
            patch.setattr(row_values, "_FEW", 0)
            assert give(one, ROW, changes, 5) == whole


@pytest.mark.sampled(2)
@pytest.mark.parametrize("way", [RankWay.APPEND, RankWay.RETRACT])
@pytest.mark.parametrize("function", [RankFunction.RANK, RankFunction.DENSE_RANK])
@pytest.mark.parametrize("seed", rounds(3))
def test_ranks_with_ties_are_those_of_the_present_rows(
    seed: int,
    function: RankFunction,
    way: RankWay,
    give: Give,
    random_changelog: Callable[..., list[Change]],
    table_of: Callable[..., list[str]],
) -> None:
    numbers = iter(range(10_000))

    def row(chance: random.Random) -> tuple[Any, ...]:
        return chance.choice(["a", "b"]), chance.choice([None, 1, 2, 3, 4]), next(numbers)

    changes = random_changelog(seed, row, 80)
    if way is RankWay.APPEND:
        changes = [change for change in changes if change[0] == "+I"]
    present = [ast.literal_eval(text) for text in table_of(changes)]
    for start, end in ((1, 0), (1, 1), (1, 3), (2, 4)):
        one = operator(way, end, start, has_rank=True, partition=(0,), function=function)
        whole = give(one, ROW, changes)
        expected = []
        for name, value, number in present:
            before = [r[1] for r in present if r[0] == name and (r[1] is not None, r[1] or 0) < (value is not None, value or 0)]
            rank = len(before if function is RankFunction.RANK else set(before)) + 1
            expected += [(name, value, number, rank)] if start <= rank <= end else []
        assert table_of(whole) == sorted(map(repr, expected)), f"seed {seed}"
        assert give(one, ROW, changes, 1) == whole


@pytest.mark.parametrize("function", [RankFunction.RANK, RankFunction.DENSE_RANK])
def test_rows_behind_the_bound_are_not_kept_of_insertions(function: RankFunction, give: Give, context: Any) -> None:
    one = operator(RankWay.APPEND, 2, function=function)
    state = one.create_state(context)
    one.process(
        ChangeBatch(pa.RecordBatch.from_pylist([dict(zip(ROW.names, row, strict=True)) for _, row in rows(9, 8, 7, 7, 6, 6, 5)], ROW)),
        0,
        state,
        lambda _: None,
    )
    assert len(state.partitions[0].rows) == {RankFunction.RANK: 3, RankFunction.DENSE_RANK: 3}[function]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("has_rank", [False, True])
@pytest.mark.parametrize(
    "order", [SortKey(1, ascending, nulls_first) for ascending in (True, False) for nulls_first in (True, False)], ids=str
)
def test_rows_behind_the_last_of_a_full_partition_change_nothing(
    order: SortKey, has_rank: bool, give: Give, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = 7
    chance = random.Random(seed)
    values = [None, None, -(2**31), -1, 0, 1, 2, 3, 2**31 - 1]
    changes = [("+I", (chance.choice(["a", "b", None]), chance.choice(values), number)) for number in range(80)]
    for start, end in ((1, 1), (1, 3), (2, 4)):
        one = operator(RankWay.APPEND, end, start, has_rank=has_rank, partition=(0,), orders=(order,))
        with monkeypatch.context() as patch:
            patch.setattr(Rank, "drops_by_bound", False)
            expected = give(one, ROW, changes)
        with monkeypatch.context() as patch:
            patch.setattr(row_values, "_FEW", 0)
            for size in (1, 7):
                assert give(one, ROW, changes, size) == expected, f"seed {seed}"
