from __future__ import annotations

import gc

from table_common.garbage_collection import collection_paused


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
