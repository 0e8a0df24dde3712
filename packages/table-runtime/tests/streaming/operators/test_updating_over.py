from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.streaming.operators import updating_over

Row = tuple[int, str, int | None]
Evaluate = Callable[[list[Row]], list[Any]]
CODES = {"+I": "i", "-U": "ub", "+U": "ua", "-D": "d"}
MAPPING = "MAP['i', 'INSERT', 'ub', 'UPDATE_BEFORE', 'ua', 'UPDATE_AFTER', 'd', 'DELETE']"


def key(row: Row) -> tuple[bool, int]:
    return (row[2] is not None, row[2] or 0)


def total(rows: list[Row]) -> int | None:
    values = [row[2] for row in rows if row[2] is not None]
    return sum(values) if values else None


def up_to(rows: list[Row], row: Row) -> list[Row]:
    return [other for other in rows if key(other) <= key(row)]


CALLS: dict[str, Evaluate] = {
    "SUM(v) OVER (PARTITION BY k ORDER BY v ROWS UNBOUNDED PRECEDING)": lambda rows: [total(rows[: i + 1]) for i in range(len(rows))],
    "SUM(v) OVER (PARTITION BY k ORDER BY v)": lambda rows: [total(up_to(rows, row)) for row in rows],
    "SUM(v) OVER (PARTITION BY k ORDER BY v ROWS 1 PRECEDING)": lambda rows: [total(rows[max(i - 1, 0) : i + 1]) for i in range(len(rows))],
    "COUNT(*) OVER (PARTITION BY k)": lambda rows: [len(rows)] * len(rows),
    "RANK() OVER (PARTITION BY k ORDER BY v)": lambda rows: [1 + sum(key(other) < key(row) for other in rows) for row in rows],
    "ROW_NUMBER() OVER (PARTITION BY k ORDER BY v)": lambda rows: list(range(1, len(rows) + 1)),
    "LAG(id) OVER (PARTITION BY k ORDER BY v)": lambda rows: [None, *(row[0] for row in rows[:-1])] if rows else [],
    "LEAD(id) OVER (PARTITION BY k ORDER BY v)": lambda rows: [*(row[0] for row in rows[1:]), None] if rows else [],
}


def model(changes: Sequence[tuple[str, Row]], call: str) -> list[str]:
    """Row by row: all results of the partition before and after each change."""
    evaluate, is_ordered = CALLS[call], "ORDER BY" in call
    partitions: dict[str, list[Row]] = {}
    given: list[str] = []
    for kind, row in changes:
        rows = partitions.setdefault(row[1], [])
        before = list(zip(rows, evaluate(rows), strict=True))
        is_added = kind in ("+I", "+U")
        if is_added:
            place = sum(key(other) <= key(row) for other in rows) if is_ordered else len(rows)
            rows.insert(place, row)
        else:
            if row not in rows:
                continue
            place = rows.index(row)
            del rows[place]
        after = list(zip(rows, evaluate(rows), strict=True))
        longer, shorter = (after, before) if is_added else (before, after)
        others = [*shorter[:place], None, *shorter[place:]]
        for one, other in zip(longer, others, strict=True):
            if other is None:
                given.append(f"{kind if is_added else '-D'}{[*one[0], one[1]]}")
            elif one != other:
                old, new = (other, one) if is_added else (one, other)
                given += [f"-U{[*old[0], old[1]]}", f"+U{[*new[0], new[1]]}"]
    return given


def random_changes(chance: random.Random, count: int) -> list[tuple[str, Row]]:
    there: list[Row] = []
    result: list[tuple[str, Row]] = []
    while len(result) < count:
        draw = chance.random()
        if draw < 0.6 or not there:
            row = (chance.randrange(5), chance.choice("ab"), chance.choice([None, 1, 2, 3, 4, 9]))
            there.append(row)
            result.append((chance.choice(["+I", "+I", "+U"]), row))
        elif draw < 0.65:
            result.append(("-D", (99, "a", 1)))  # is not there
        else:
            row = there.pop(chance.randrange(len(there)))
            result.append((chance.choice(["-D", "-U"]), row))
    return result


def run(folder: Path, changes: Sequence[tuple[str, Row]], call: str, size: int, *, is_changelog: bool = True) -> list[str]:
    """Returns the changes of a query over batches of some rows, each a file."""
    folder.mkdir()
    for start in range(0, len(changes), size):
        lines = [f"{CODES[kind]},{i},{k},{'' if v is None else v}" for kind, (i, k, v) in changes[start : start + size]]
        (folder / f"{start:05d}.csv").write_text("\n".join(lines) + "\n")
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    try:
        env.execute_sql(
            f"CREATE TABLE t (op STRING, id INT, k STRING, v INT) WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'csv', "
            "'csv.null-literal' = '')"
        )
        table = f"FROM_CHANGELOG(input => TABLE t, op => DESCRIPTOR(op), op_mapping => {MAPPING})" if is_changelog else "t"
        with env.execute_sql(f"SELECT id, k, v, {call} FROM {table}").collect() as rows:
            return [f"{row.get_row_kind()}{list(row)}" for row in rows]
    finally:
        env.close()


@pytest.mark.parametrize("call", CALLS)
def test_equals_a_model_for_every_size_of_batches(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed = random.randrange(1 << 32)
    changes = random_changes(random.Random(seed), 60)
    expected = model(changes, call)
    for size, most in ((1, 1 << 18), (7, 1 << 18), (60, 40), (60, 1 << 18)):
        monkeypatch.setattr(updating_over, "MOST_ROWS", most)
        assert run(tmp_path / f"{size}-{most}", changes, call, size) == expected, f"seed {seed}, {size} rows at once"


@pytest.mark.parametrize("call", CALLS)
def test_equals_a_model_over_insertions(call: str, tmp_path: Path) -> None:
    seed = random.randrange(1 << 32)
    changes = [("+I", row) for kind, row in random_changes(random.Random(seed), 60) if kind in ("+I", "+U")]
    for size in (5, 60):
        assert run(tmp_path / str(size), changes, call, size, is_changelog=False) == model(changes, call), f"seed {seed}"


def test_rows_in_order_are_emitted_without_updates(tmp_path: Path) -> None:
    changes = [("+I", (i, "a", i)) for i in range(300)]
    given = run(tmp_path / "t", changes, "SUM(v) OVER (PARTITION BY k ORDER BY v)", 100, is_changelog=False)
    totals = [0]
    for i in range(1, 300):
        totals.append(totals[-1] + i)
    assert given == [f"+I[{i}, 'a', {i}, {totals[i]}]" for i in range(300)]
    assert all(one < other for one, other in pairwise(totals[1:]))
