"""Messages that are made by hand become rows."""

from __future__ import annotations

import random
import time

import pytest
from log_tables import captured, decoded, decoder
from pgoutput_bytes import UNCHANGED, begin, commit, delete, insert, messages, relation, truncate, update

from connector_postgres_cdc.offsets import Copied, Visibility
from table_common.exceptions import TableRuntimeException

HEAD = (begin(100), relation(("id", "s")))
TAIL = (commit(100, 110),)


def test_each_change_gives_its_rows() -> None:
    data = messages(*HEAD, insert(("1", "a")), update(("1", None), ("1", "a")), delete(("1", None)), insert(("2", "")), *TAIL)
    assert decoded(decoder(), data) == [
        ("+I", "1", "a"),
        ("-U", "1", "a"),
        ("+U", "1", None),
        ("-D", "1", None),
        ("+I", "2", ""),
    ]


def test_upserts_have_old_rows_of_changed_keys_only() -> None:
    data = messages(
        *HEAD,
        update(("1", "b"), ("1", "a")),
        update(("2", "b"), ("1", "b")),
        update(("3", "c"), ("2", None), b"K"),
        update(("3", "d")),
        delete(("3", None), b"K"),
    )
    assert decoded(decoder(upsert=True), data) == [
        ("+U", "1", "b"),
        ("-D", "1", "b"),
        ("+I", "2", "b"),
        ("-D", "2", None),
        ("+I", "3", "c"),
        ("+U", "3", "d"),
        ("-D", "3", None),
    ]


def test_an_unchanged_large_value_comes_from_the_old_row() -> None:
    data = messages(*HEAD, update(("1", UNCHANGED), ("1", "large")), insert(("2", "x")))
    assert decoded(decoder(), data) == [("-U", "1", "large"), ("+U", "1", "large"), ("+I", "2", "x")]


def test_an_unchanged_large_value_without_an_old_row_is_refused() -> None:
    with pytest.raises(TableRuntimeException) as caught:
        decoded(decoder(upsert=True), messages(*HEAD, update(("1", UNCHANGED))))
    assert "large value of column 's'" in str(caught.value)
    assert 'ALTER TABLE "public"."t" REPLICA IDENTITY FULL' in str(caught.value.hint)


def test_an_update_without_its_old_row_is_refused_where_old_rows_are_needed() -> None:
    with pytest.raises(TableRuntimeException, match="without the old row"):
        decoded(decoder(), messages(*HEAD, update(("1", "a"))))


def test_transactions_outside_of_the_range_are_left_out() -> None:
    data = messages(
        begin(50), relation(("id", "s")), insert(("1", "early")), commit(50, 60), begin(60), insert(("2", "first")), commit(60, 70), begin(70),
        insert(("3", "late")), commit(70, 80),
    )  # fmt: skip
    assert decoded(decoder(), data, 60, 70) == [("+I", "2", "first")]


def test_a_transaction_can_go_on_in_the_next_batch() -> None:
    reader = decoder(metadata=("lsn", "row_kind", "table_name"))
    assert decoded(reader, messages(*HEAD, insert(("1", "a")))) == [("+I", "1", "a", 100, "+I", "t")]
    assert decoded(reader, messages(insert(("2", "b")), *TAIL)) == [("+I", "2", "b", 100, "+I", "t")]


def test_rows_do_not_depend_on_how_messages_are_cut() -> None:
    chosen = random.Random(7)
    parts = list(HEAD)
    for number in range(200):
        old, new = (str(number), "x" * chosen.randrange(9)), (str(number), None if number % 3 else "ü" * chosen.randrange(5))
        parts.append(chosen.choice([insert(new), update(new, old), delete(old)]))
    whole = decoded(decoder(), messages(*parts))
    for _ in range(20):
        reader, cut, found = decoder(), 0, []
        while cut < len(parts):
            following = cut + chosen.randrange(1, 60)
            found += decoded(reader, messages(*parts[cut:following]))
            cut = following
        assert found == whole


def test_what_the_snapshot_shows_is_no_change() -> None:
    copied = {"public.t": (Copied(None, Visibility("700:705:702")),)}
    data = messages(
        begin(100, 699), relation(("id", "s")), insert(("1", "in it")), commit(100, 110), begin(110, 702), insert(("2", "was open")), commit(110, 120),
        begin(120, 705), insert(("3", "after")), commit(120, 130),
    )  # fmt: skip
    assert decoded(decoder(copied=copied), data) == [("+I", "2", "was open"), ("+I", "3", "after")]


def test_parts_that_were_copied_in_two_snapshots_have_each_its_changes() -> None:
    copied = {"public.t": (Copied(10, Visibility("700:700:")), Copied(None, Visibility("800:800:")))}
    data = messages(
        begin(100, 750),
        relation(("id", "s")),
        update(("5", "b"), ("5", "a")),
        update(("50", "b"), ("50", "a")),
        update(("51", "moved"), ("6", "moves")),
        update(("7", "comes"), ("52", "came")),
        commit(100, 110),
    )
    assert decoded(decoder(copied=copied), data) == [
        ("-U", "5", "a"),
        ("+U", "5", "b"),
        ("-D", "6", "moves"),
        ("+I", "7", "comes"),
    ]


def test_numbers_of_transactions_are_compared_beyond_32_bits() -> None:
    end = (3 << 32) + 5
    seen = Visibility(f"{end - 10}:{end}:{end - 3}")
    import numpy as np

    assert seen.of(np.array([(end - 11) % (1 << 32), (end - 3) % (1 << 32), (end - 1) % (1 << 32), 5, 6])).tolist() == [
        True,
        False,
        True,
        False,
        False,
    ]


def test_a_table_that_changes_its_columns_is_decoded_by_the_last_description() -> None:
    data = messages(
        *HEAD, insert(("1", "a")), relation(("new", "s", "id")), insert(("n", "b", "2")), relation(("id", "s")), insert(("3", "c"))
    )
    assert decoded(decoder(), data) == [("+I", "1", "a"), ("+I", "2", "b"), ("+I", "3", "c")]


def test_tables_keep_the_order_of_the_log() -> None:
    data = messages(
        begin(100), relation(("id", "s")), relation(("id", "s"), 16500, "u"), insert(("1", "t")), insert(("1", "u"), 16500), insert(("2", "t")),
        insert(("9", "other"), 17000),
    )  # fmt: skip
    assert decoded(decoder(tables=("t", "u"), metadata=("table_name",)), data) == [
        ("+I", "1", "t", "t"),
        ("+I", "1", "u", "u"),
        ("+I", "2", "t", "t"),
    ]


def test_truncate_stops_or_is_ignored() -> None:
    data = messages(*HEAD, truncate(16400), insert(("1", "a")))
    with pytest.raises(TableRuntimeException, match="was truncated"):
        decoded(decoder(), data)
    assert decoded(decoder(ignores_truncate=True), data) == [("+I", "1", "a")]
    assert decoded(decoder(), messages(*HEAD, truncate(17000), insert(("1", "a")))) == [("+I", "1", "a")]


def test_more_than_sixty_thousand_changes_are_decoded_per_second() -> None:
    parts = [relation(("id", "s"))]
    for number in range(20_000):
        parts += [
            begin(100 + number),
            update((str(number), f"new value {number}"), (str(number), f"old value {number}")),
            commit(100 + number, 101 + number),
        ]
    data = messages(*parts)
    seconds = []
    for _ in range(3):
        began = time.process_time()
        assert sum(batch.num_rows for batch in decoder().rows(data, 0, 1 << 40)) == 40_000
        seconds.append(time.process_time() - began)
    assert 20_000 / min(seconds) > 60_000
    assert captured().shown == "public.t"
