"""Runs ``proofs/kill_stream.py`` with a few kills."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_testing.rounds import rounds


@pytest.mark.night
def test_a_killed_job_on_spark_with_its_state_on_an_object_store_goes_on_exactly_once(run_proof: Callable[..., str]) -> None:
    arguments = ("--driver", "spark", "--objects", "--points", "0", "--random", "2", "--seed", "3", "--seconds", "240")
    printed = run_proof("kill_stream.py", *arguments, seconds=900)
    assert "killed 2 times" in printed
    assert "the tables are those of batch mode" in printed


def test_a_killed_job_goes_on_exactly_once(run_proof: Callable[..., str]) -> None:
    printed = run_proof("kill_stream.py", "--points", "1", "--random", str(len(rounds(5))), "--seed", "7", "--seconds", "60")
    assert "the tables are those of batch mode" in printed


def test_a_killed_job_with_process_table_functions_goes_on_exactly_once(run_proof: Callable[..., str]) -> None:
    printed = run_proof("kill_stream.py", "--functions", "--points", "0", "--random", str(len(rounds(3))), "--seed", "7", "--seconds", "40")
    assert "the tables are those of batch mode" in printed


@pytest.mark.night
def test_a_killed_job_with_process_table_functions_on_spark_goes_on_exactly_once(run_proof: Callable[..., str]) -> None:
    arguments = ("--driver", "spark", "--functions", "--points", "1", "--random", "3", "--seed", "7", "--seconds", "240")
    assert "the tables are those of batch mode" in run_proof("kill_stream.py", *arguments, seconds=900)
