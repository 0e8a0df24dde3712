"""Finding Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_common.exceptions import TableException
from table_planner_spark.session.java import find_java_home


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
    monkeypatch.setattr("table_planner_spark.session.java.find_spec", lambda name: None)
    old = _home(tmp_path / "a", "11.0.2")
    with pytest.raises(TableException, match=r"needs Java 17 (or newer|to 23 with Spark .*), .*JAVA_HOME .* is Java 11") as caught:
        find_java_home({"JAVA_HOME": str(old), "PATH": ""})
    assert "table-planner-spark[java]" in str(caught.value)


def test_a_java_that_is_too_new_for_this_spark_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_planner_spark.session.java.LATEST_JAVA", 23)
    new, good = _home(tmp_path / "a", "25.0.1"), _home(tmp_path / "b", "21.0.2")
    assert find_java_home({"JAVA_HOME": str(new), "PATH": str(good / "bin")}) == good
    monkeypatch.setattr("table_planner_spark.session.java.find_spec", lambda name: None)
    with pytest.raises(TableException, match=r"needs Java 17 to 23 with Spark 4.*JAVA_HOME .* is Java 25"):
        find_java_home({"JAVA_HOME": str(new), "PATH": ""})


def test_a_packaged_java_that_is_too_new_for_this_spark_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_planner_spark.session.java.LATEST_JAVA", 23)
    monkeypatch.setattr("table_planner_spark.session.java.find_spec", lambda name: object())
    monkeypatch.setattr("table_planner_spark.session.java.version", lambda name: "25.0.1.0")
    with pytest.raises(TableException, match="needs Java 17 to 23"):
        find_java_home({"PATH": ""})
