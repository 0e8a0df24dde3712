from __future__ import annotations

from table_runtime.streaming.checkpoints.source_positions import Scan, same_scans

FEW, MANY, WIDE = Scan("a > 9", "a"), Scan("a > 1", "a"), Scan("a > 9", "a, b")


def test_scans_of_one_table_are_known_by_what_they_were_asked_for() -> None:
    assert same_scans({"t#0": FEW, "t#1": MANY}, {"t#0": FEW, "t#1": MANY}) == {"t#0": "t#0", "t#1": "t#1"}
    assert same_scans({"t#0": FEW, "t#1": MANY}, {"t#0": MANY, "t#1": FEW}) == {"t#0": "t#1", "t#1": "t#0"}
    assert same_scans({"t#0": FEW, "t#1": MANY}, {"t#0": MANY}) == {"t#0": "t#1"}


def test_rows_count_before_columns_and_columns_before_names() -> None:
    assert same_scans({"t#0": FEW, "t#1": MANY}, {"t#0": MANY, "t#1": WIDE}) == {"t#0": "t#1", "t#1": "t#0"}
    assert same_scans({"t#0": WIDE, "t#1": FEW}, {"t#0": FEW, "t#1": WIDE}) == {"t#0": "t#1", "t#1": "t#0"}
    assert same_scans({"t#0": FEW}, {"t#0": MANY}) == {"t#0": "t#0"}


def test_new_scans_and_those_of_other_tables_begin_anew() -> None:
    assert same_scans({"t#0": FEW}, {"u#0": FEW}) == {}
    assert same_scans({"t#0": FEW}, {"t#0": MANY, "t#1": FEW}) == {"t#1": "t#0"}
