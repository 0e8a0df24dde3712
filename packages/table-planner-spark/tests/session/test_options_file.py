"""Options of Spark are in a private file while the JVM starts, and never on a command line."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from table_planner_spark.session.options_file import options_in_a_file, properties_text

S = "hunter2Zq"


def test_options_are_not_on_the_command_line(tmp_path: Path) -> None:
    with options_in_a_file([("spark.a.password", S)], tmp_path):
        assert S not in os.environ["PYSPARK_SUBMIT_ARGS"]


def test_file_of_options_is_private(tmp_path: Path) -> None:
    with options_in_a_file([("spark.a.password", S)], tmp_path):
        (file,) = tmp_path.iterdir()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf a=b pyspark-shell")
    with options_in_a_file([("spark.a", "b")], tmp_path):
        pass
    assert (os.environ["PYSPARK_SUBMIT_ARGS"], list(tmp_path.iterdir())) == ("--conf a=b pyspark-shell", [])


def test_file_of_the_program_is_read_before_the_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.conf").write_text("spark.b c")
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--properties-file {tmp_path / 'own.conf'} pyspark-shell")
    with options_in_a_file([("spark", "x")], tmp_path):
        assert (tmp_path / "spark.properties").read_text() == "spark.b c\nspark=x\n"


def test_signs_of_the_syntax_are_escaped() -> None:
    assert properties_text([("a.b", "x=\u00e4 \\")]) == "a\\u002eb=x\\u003d\\u00e4\\u0020\\u005c\n"
