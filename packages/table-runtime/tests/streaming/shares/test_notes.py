from __future__ import annotations

from table_runtime.streaming.checkpoints.state_files import StateFile
from table_runtime.streaming.shares.notes import Note, differing_attempts


def test_a_note_is_read_as_it_was_written() -> None:
    file = StateFile("states/a", True, 1, 2, 3, 0, 2)
    note = Note(
        1,
        0,
        1 << 40,
        ((0, 1, 7),),
        "0-r-s0-7",
        True,
        {3: (file,)},
        {3: [1, -(1 << 63)]},
        {3: [0]},
        5,
        {3: {"a": 1}},
        {0: 9},
        {0: [{"x": 1}]},
    )
    assert Note.of(note.to_payload().to_pybytes()) == note
    split = Note(0, 4, 1, source=2, split="p-0", rows_read=3, progress={1: [1, 2, 3]}, rows_ignored=2)
    assert Note.of(split.to_payload().to_pybytes()) == split


def test_tasks_of_which_others_saw_another_attempt_are_found() -> None:
    same = [Note(0, 0, 10), Note(1, 0, 11, [(0, 0, 10)]), Note(1, 1, 12, [(0, 0, 10)])]
    assert differing_attempts(same) == []
    assert differing_attempts([*same[:2], Note(1, 1, 12, [(0, 0, 13)])]) == [(0, 0, [10, 13])]
    assert differing_attempts([Note(0, 0, 13), *same[1:]]) == [(0, 0, [10, 13])]
    assert differing_attempts([*same, Note(2, 0, 20, [(1, 1, 12), (1, 0, 99)])]) == [(1, 0, [11, 99])]
