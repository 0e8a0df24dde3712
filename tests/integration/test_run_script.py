"""run.py checks the requirements before it installs anything, and names what is missing."""

from __future__ import annotations

import ast
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

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
    client = Path(".venv") / "bin" / "sql-client"
    text = script["NEXT_STEPS"].format(client=client, activate=script["_activation"]())
    assert f'{client} -e "SELECT 1 + 1 AS two"' in text
    assert "activate" in text.splitlines()[-1]


def test_the_runs_of_unit_tests_that_it_names_exist() -> None:
    calls = [node for node in ast.walk(ast.parse((ROOT / "noxfile.py").read_text())) if isinstance(node, ast.Call)]
    runs = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "UnitTestRun"]
    extras = [[word.value for word in run.keywords if word.arg == "extra"] for run in runs]
    texts = [
        [part.value for part in (*run.args, *extra) if isinstance(part, ast.Constant)] for run, extra in zip(runs, extras, strict=True)
    ]
    known = {f"{text[0]}[{text[1]}]" if len(text) > 1 else text[0] for text in texts}
    assert known >= set(runpy.run_path(str(ROOT / "run.py"))["QUICK_TESTS"])
