from __future__ import annotations

from table_runtime.files import overwritten_files

OLD = ["d=1/h=1/a.csv", "d=1/h=2/a.csv", "d=2/h=1/a.csv"]
KEYS = ["d", "h"]


def test_overwriting_replaces_everything_in_an_unpartitioned_table() -> None:
    assert overwritten_files(["a.csv", "b.csv"], ["."], [], {}, "__DEFAULT__") == ["a.csv", "b.csv"]


def test_overwriting_replaces_only_partitions_that_get_files() -> None:
    assert overwritten_files(OLD, ["d=1/h=2"], KEYS, {"d": "1"}, "__DEFAULT__") == ["d=1/h=2/a.csv"]


def test_overwriting_a_static_partition_with_nothing_empties_it() -> None:
    assert overwritten_files(OLD, [], KEYS, {"h": "1", "d": "2"}, "__DEFAULT__") == ["d=2/h=1/a.csv"]


def test_overwriting_some_keys_of_a_partition_with_nothing_keeps_all() -> None:
    assert overwritten_files(OLD, [], KEYS, {"d": "1"}, "__DEFAULT__") == []


def test_a_partition_is_the_same_however_an_engine_escaped_its_name() -> None:
    assert overwritten_files(["d=a%20b%2fc/a.csv"], ["d=a b%2Fc"], ["d"], {}, "__DEFAULT__") == ["d=a%20b%2fc/a.csv"]
