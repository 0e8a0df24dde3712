"""run.py checks the requirements before it installs anything, and names what is missing."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def _run(command: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, str(ROOT / "run.py"), *command.split()]
    return subprocess.run(program, env=environment, capture_output=True, text=True, timeout=60, check=False)


def _java(folder: Path, version: str) -> Path:
    """Creates a folder with a fake bin/java that prints a version."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    java.chmod(0o755)
    return folder


def test_the_test_command_without_java_fails_and_names_what_to_install() -> None:
    finished = _run("test", {"PATH": os.devnull})
    assert finished.returncode == 1
    assert "no java was found" in finished.stderr
    assert "apt-get install openjdk-17-jre-headless" in finished.stderr


@pytest.mark.parametrize("version", ["1.8.0_402", "11.0.22", "16"])
def test_the_error_of_an_old_java_names_its_version(version: str, tmp_path: Path) -> None:
    finished = _run("test", {"PATH": os.devnull, "JAVA_HOME": str(_java(tmp_path, version))})
    assert finished.returncode == 1
    assert f"is version {version.removeprefix('1.').partition('.')[0]}" in finished.stderr


def test_the_error_names_a_java_home_without_java(tmp_path: Path) -> None:
    finished = _run("test", {"PATH": os.devnull, "JAVA_HOME": str(tmp_path)})
    assert finished.returncode == 1
    assert f"JAVA_HOME is {tmp_path}, which has no bin/java" in finished.stderr


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    finished = _run("flights --planner flink", dict(os.environ))
    assert finished.returncode == 2
    assert "arrow" in finished.stderr
    assert "spark" in finished.stderr


def test_after_the_program_it_says_where_the_client_is() -> None:
    script = runpy.run_path(str(ROOT / "run.py"))
    client = Path(".venv-flights") / "bin" / "sql-client"
    text = script["NEXT_STEPS"].format(client=client, activate=script["_activation"]())
    assert f'{client} -e "SELECT 1 + 1 AS two"' in text
    assert "activate" in text.splitlines()[-1]


def test_a_changed_file_is_checked_by_itself_or_by_the_tests_that_are_named_for_it() -> None:
    tests_of = runpy.run_path(str(ROOT / "run.py"))["tests_of"]
    rule = Path("packages/table-api/src/table_api/plan/rules/prune_columns.py")
    assert tests_of(rule) == [Path("packages/table-api/tests/plan/rules/test_prune_columns.py")]
    changed_test = Path("tests/integration/test_run_script.py")
    assert tests_of(changed_test) == [changed_test]
    for other in ("README.md", "tests/integration/conftest.py", "packages/table-planner-spark/src/table_planner_spark/planner.py"):
        assert tests_of(Path(other)) == []


def test_constraints_have_a_version_of_everything_that_is_declared() -> None:
    script = runpy.run_path(str(ROOT / "run.py"))
    lines = [Requirement(line) for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    declared = [text for _, requirements in script["declared"]() for text in requirements] + script["group"]("develop")
    assert len(declared) > 30
    for requirement in map(Requirement, declared):
        pins = [line for line in lines if canonicalize_name(line.name) == canonicalize_name(requirement.name)]
        versions = [next(iter(pin.specifier)).version for pin in pins]
        assert versions, f"{requirement}: python3 run.py lock"
        assert all(requirement.specifier.contains(version) for version in versions), f"{requirement}, {versions}: python3 run.py lock"
