from __future__ import annotations

import gc
import weakref

import pytest

from table_common.garbage_collection import CollectorOfRows, collection_paused

FROZEN_AT_START = gc.get_freeze_count()
"""Python 3.12 begins with frozen objects, and what is frozen stays so."""
needs_promotion = pytest.mark.skipif(FROZEN_AT_START > 0, reason="this Python has frozen objects from the start, so rows stay young")


def test_the_collector_runs_again_after_the_last_block() -> None:
    with collection_paused():
        with collection_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_the_program_stopped_stays_so() -> None:
    gc.disable()
    try:
        with collection_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def _young() -> set[int]:
    return {id(one) for generation in (0, 1) for one in gc.get_objects(generation)}


@needs_promotion
def test_rows_are_old_after_their_block() -> None:
    collector = CollectorOfRows()
    for _ in range(2):
        with collector:
            assert not gc.isenabled()
            rows = [[number] for number in range(2_000)]
        assert gc.isenabled()
        assert not _young().intersection(map(id, rows))


@needs_promotion
def test_cycles_from_before_the_block_are_collected() -> None:
    class Cyclic:
        pass

    cyclic = Cyclic()
    cyclic.own = cyclic  # type: ignore[attr-defined]
    dead = weakref.ref(cyclic)
    del cyclic
    with CollectorOfRows():
        assert dead() is None


def test_what_the_program_froze_stays_frozen() -> None:
    collector = CollectorOfRows()
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        for of_rows in (collector, CollectorOfRows()):
            with of_rows:
                rows = [[number] for number in range(2_000)]
        assert gc.get_freeze_count() > frozen - 100
        assert rows
    finally:
        gc.unfreeze()


def test_a_program_without_collector_has_none_for_rows() -> None:
    gc.disable()
    try:
        with CollectorOfRows():
            rows = [[number] for number in range(2_000)]
        assert not gc.isenabled()
        assert _young().issuperset(map(id, rows))
    finally:
        gc.enable()


def test_a_failure_in_the_block_starts_the_collector_again() -> None:
    frozen = gc.get_freeze_count()
    with pytest.raises(ValueError, match="broken"), CollectorOfRows():
        raise ValueError("broken")
    assert gc.isenabled()
    assert gc.get_freeze_count() <= frozen
