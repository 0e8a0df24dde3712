"""One process is the scheduler of a catalog."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sql_client.scheduler_lock import scheduler_locks
from table_common.exceptions import TableException
from table_common.gate import Gate


def test_the_second_is_told_of_the_first_and_holds_nothing(tmp_path: Path) -> None:
    lock, other = Gate.of_program(tmp_path / "c.db.scheduler"), Gate.of_program(tmp_path / "a.db.scheduler")
    owner = rf"'shop' have a scheduler already: process {os.getpid()} on "
    with scheduler_locks([("shop", lock)]), pytest.raises(TableException, match=owner), scheduler_locks([("store", other), ("shop", lock)]):
        raise AssertionError
    with scheduler_locks([("shop", lock), ("store", other)]):
        assert lock.read_text().count("process") == 1


def test_a_catalog_with_two_names_is_locked_once(tmp_path: Path) -> None:
    lock = Gate.of_program(tmp_path / "c.db.scheduler")
    with scheduler_locks([("a", lock), ("b", lock)]):
        assert lock.exists()


def test_a_lock_that_cannot_be_opened_names_its_catalog(tmp_path: Path) -> None:
    missing = Gate.of_program(tmp_path / "missing/c.db.scheduler")
    with (
        pytest.raises(TableException, match=r"scheduler of catalog 'a', cannot be opened: No such file"),
        scheduler_locks([("a", missing)]),
    ):
        raise AssertionError
