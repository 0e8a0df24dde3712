"""Packages of the workers: which versions they have, and what is sent to them."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from table_common.exceptions import TableException
from table_planner_spark.session import workers
from table_planner_spark.session.workers import DISTRIBUTIONS, require_packages, ship_packages, worker_versions

OURS = {**{name: workers._version(name) for name in DISTRIBUTIONS}, "python": workers._python()}
OURS |= {"numpy": "2.1", "pyarrow": "26", "typing-extensions": "4"}


class Context:
    """A Spark application as far as these functions use it."""

    def __init__(self, master: str) -> None:
        self.master = master
        self.pythonExec = "python3"
        self.files: list[str] = []

    def addPyFile(self, path: str) -> None:
        self.files.append(path)


class Session:
    def __init__(self, master: str) -> None:
        self.sparkContext = Context(master)


def required(monkeypatch: pytest.MonkeyPatch, *answers: dict[str, Any], master: str = "spark://host:7077") -> Context:
    """Requires the packages of workers that give the answers."""
    asked: list[Any] = []

    def versions(spark: Any) -> list[dict[str, Any]]:
        asked.append(spark)
        return list(answers)

    monkeypatch.setattr(workers, "worker_versions", versions)
    session: Any = Session(master)
    require_packages(session)
    require_packages(session)
    assert len(asked) <= 1, "a Spark application is checked once"
    context: Context = session.sparkContext
    return context


def test_workers_with_the_same_versions_get_no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    assert required(monkeypatch, OURS).files == []


@pytest.mark.parametrize("version", [None, "0.0.1"])
def test_workers_with_other_versions_get_the_packages_once(monkeypatch: pytest.MonkeyPatch, version: str | None) -> None:
    assert len(required(monkeypatch, OURS, {**OURS, "table-common": version}).files) == 1


def test_another_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TableException, match=r"The workers run Python 3\.9, but this program runs 3\.") as caught:
        required(monkeypatch, OURS, {**OURS, "python": "3.9"})
    assert "spark.pyspark.python" in str(caught.value)


def test_missing_packages_that_cannot_be_sent_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TableException, match=r"The Python of the workers lacks pyarrow, typing-extensions\.") as caught:
        required(monkeypatch, {**OURS, "pyarrow": None, "typing-extensions": None})
    assert "pip install table-planner-spark" in str(caught.value)


def test_an_application_that_was_refused_is_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [{**OURS, "python": "3.9"}, OURS]
    monkeypatch.setattr(workers, "worker_versions", lambda _spark: [answers.pop(0)])
    session: Any = Session("spark://host:7077")
    with pytest.raises(TableException):
        require_packages(session)
    require_packages(session)
    assert answers == []


def test_workers_of_a_local_master_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert required(monkeypatch, {**OURS, "python": "3.9"}, master="local[2]").files == []


def test_workers_of_a_local_cluster_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TableException, match="Python"):
        required(monkeypatch, {**OURS, "python": "3.9"}, master="local-cluster[2,1,1024]")


def test_local_workers_use_the_python_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    assert Path(required(monkeypatch, master="local[2]").pythonExec).samefile(sys.executable)


def test_a_python_that_the_user_named_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "python3.11")
    assert required(monkeypatch, master="local[2]").pythonExec == "python3"


def test_the_archive_has_the_modules_and_the_metadata_of_each_distribution() -> None:
    session: Any = Session("spark://host:7077")
    ship_packages(session)
    (path,) = session.sparkContext.files
    names = zipfile.ZipFile(path).namelist()
    assert {f"{package}/__init__.py" for package in DISTRIBUTIONS.values()} <= set(names)
    for package in DISTRIBUTIONS.values():
        assert [name for name in names if name.startswith(package) and name.endswith(".dist-info/METADATA")]


def test_the_archive_has_no_compiled_files() -> None:
    session: Any = Session("spark://host:7077")
    ship_packages(session)
    assert not [name for name in zipfile.ZipFile(session.sparkContext.files[0]).namelist() if "__pycache__" in name]


def test_workers_answer_with_their_versions(spark: SparkSession) -> None:
    (answer,) = worker_versions(spark)
    assert {name: answer[name] for name in (*DISTRIBUTIONS, "python")} == {name: OURS[name] for name in (*DISTRIBUTIONS, "python")}


def test_packages_in_a_wheel_are_shipped_from_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / "package_of_the_test-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("package_of_the_test/__init__.py", "")
        archive.writestr("package_of_the_test-1.0.dist-info/METADATA", "Name: package-of-the-test\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(str(wheel))
    assert dict(workers._files("package-of-the-test", "package_of_the_test")).keys() == {
        "package_of_the_test/__init__.py",
        "package_of_the_test-1.0.dist-info/METADATA",
    }


def test_workers_on_this_machine_with_another_python_are_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "python3"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PYSPARK_PYTHON", str(other))
    monkeypatch.setattr(Context, "__init__", lambda self, master: self.__dict__.update(master=master, pythonExec=str(other), files=[]))
    with pytest.raises(TableException, match=r"The Python of the workers lacks numpy\."):
        required(monkeypatch, {**OURS, "numpy": None}, master="local[2]")
