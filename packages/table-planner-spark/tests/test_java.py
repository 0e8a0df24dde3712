"""Finding Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_common.exceptions import TableException
from table_planner_spark.java import find_java_home


def _home(folder: Path, version: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    java = folder / "bin" / "java"
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return folder


def test_java_home_comes_first(tmp_path: Path) -> None:
    wanted, other = _home(tmp_path / "a", "21.0.2"), _home(tmp_path / "b", "17.0.1")
    assert find_java_home({"JAVA_HOME": str(wanted), "PATH": str(other / "bin")}) == wanted


def test_a_java_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    old, good = _home(tmp_path / "a", "1.8.0_392"), _home(tmp_path / "b", "17.0.1")
    assert find_java_home({"JAVA_HOME": str(old), "PATH": str(good / "bin")}) == good


def test_the_error_names_the_found_version_and_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_planner_spark.java.find_spec", lambda name: None)
    old = _home(tmp_path / "a", "11.0.2")
    with pytest.raises(TableException, match=r"needs Java 17 or newer, .*JAVA_HOME .* is Java 11") as caught:
        find_java_home({"JAVA_HOME": str(old), "PATH": ""})
    assert "table-planner-spark[java]" in str(caught.value)
