"""Bytes that processes give each other, and states that stay in a worker."""

from __future__ import annotations

import os

import pyarrow as pa
import pytest

from table_common.exceptions import TableInternalError
from table_runtime.streaming.time.clock import RunClock
from table_runtime.streaming.workers.kept_states import KeptStates
from table_runtime.streaming.workers.outboxes import Outboxes, Place


def test_what_a_stage_writes_is_there_in_the_next_one_and_overwritten_in_the_one_after() -> None:
    created = Outboxes.create(2)
    writer, reader = Outboxes(created.files, 0), Outboxes(created.files, 1)
    places = []
    for stage in range(3):
        writer.begin(stage)
        places.append([writer.write(stage, pa.py_buffer(bytes([stage]) * size)) for size in (3, 0, 70)])
        assert [reader.read(place).to_pybytes() for place in places[-1]] == [bytes([stage]) * size for size in (3, 0, 70)]
        if stage:
            assert reader.read(places[stage - 1][2]).to_pybytes() == bytes([stage - 1]) * 70
    assert reader.read(places[0][2]).to_pybytes() == bytes([2]) * 70
    assert os.fstat(created.files[0][0]).st_size < 200
    created.clear()
    with pytest.raises(OSError, match="is not in the file"):
        reader.read(Place(0, 0, 0, 3))
    created.close()


def test_a_state_is_given_under_its_token_only_and_once() -> None:
    keeper, clock = KeptStates(), RunClock()
    kept = keeper.open("1-0")
    assert kept is not None
    kept.save("a", [], (), clock)
    assert kept.load("a", (), clock) == []
    with pytest.raises(TableInternalError):
        kept.load("a", (), clock)  # the task that took it has failed
    kept.save("b", [], (), clock)
    with pytest.raises(TableInternalError):
        kept.load("a", (), clock)
