"""Runs the examples in docstrings and compares their output.

An example sees the names of its module and imports the others. An environment without a planner uses the embedded engine, which starts fast.
Examples of ``table_api`` also see its public names, and ``env``, an environment in batch mode; examples of the Spark distributions see
``spark``, a Spark session. Each module runs in an empty folder, so that examples may write files.
"""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import table_api
from table_api import EnvironmentSettings, TableEnvironment

PACKAGES = Path(__file__).resolve().parents[2] / "packages"
SPARK = ("table_api_bridge", "table_planner_spark")


def _modules_with_examples() -> list[str]:
    modules = []
    for source in sorted(PACKAGES.glob("*/src/**/*.py")):
        if ">>> " in source.read_text(encoding="utf-8"):
            folders = source.relative_to(PACKAGES).with_suffix("").parts[2:]
            modules.append(".".join(folders[:-1] if folders[-1] == "__init__" else folders))
    return modules


@pytest.fixture
def names_of_table_api() -> Iterator[dict[str, object]]:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    with TableEnvironment.create(settings) as env:
        yield {**{name: getattr(table_api, name) for name in table_api.__all__}, "env": env}


@pytest.mark.parametrize("name", _modules_with_examples())
def test_examples_in_docstrings_run_and_print_their_output(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("table_api.delegation.planner_selection.PREFERRED", "arrow")
    module = importlib.import_module(name)
    names: dict[str, object] = {"spark": request.getfixturevalue("spark")} if name.startswith(SPARK) else {}
    if name.startswith("table_api."):
        names = request.getfixturevalue("names_of_table_api")
    examples = [test for test in doctest.DocTestFinder(exclude_empty=True).find(module, extraglobs=names) if test.examples]
    assert examples, f"{name} has '>>>' where doctest does not look: an example belongs in the docstring of a class or function"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    report: list[str] = []
    for example in examples:
        runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)
