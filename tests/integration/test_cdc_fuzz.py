"""Runs ``proofs/cdc_fuzz.py`` for some seconds."""

from __future__ import annotations

from collections.abc import Callable

import pytest


def test_a_mirrored_table_is_equal_after_kills_of_job_and_server(run_proof: Callable[..., str]) -> None:
    assert "were equal at" in run_proof("cdc_fuzz.py", "--minutes", "0.2", "--seed", "7", seconds=280)


@pytest.mark.night
@pytest.mark.parametrize(
    "arguments", [("--minutes", "2"), ("--minutes", "2", "--identity", "default"), ("--minutes", "3", "--driver", "spark")]
)
def test_a_mirrored_table_is_equal_after_many_kills(run_proof: Callable[..., str], arguments: tuple[str, ...]) -> None:
    assert "were equal at" in run_proof("cdc_fuzz.py", *arguments, seconds=900)
