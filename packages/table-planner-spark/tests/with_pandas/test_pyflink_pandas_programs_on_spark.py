"""Programs of PyFlink with pandas run after ``python -m table_api.migrate`` in Spark."""

from __future__ import annotations

import importlib.util
import io
import shutil
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.migrate.command import main

PROGRAMS = sorted((Path(__file__).parents[4] / "tests" / "integration" / "pyflink_programs").glob("pandas_*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_program_with_pandas_runs_after_its_migration(program: Path, tmp_path: Path, spark: Any) -> None:
    file = tmp_path / program.name
    shutil.copyfile(program, file)
    said = io.StringIO()
    assert main([str(file)], said, said) == 0, said.getvalue()
    spec = importlib.util.spec_from_file_location(f"pyflink_{program.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("spark").build()
    with TableEnvironment.create(settings, external={"spark": spark}) as env:
        env.get_config().set("table.local-time-zone", "UTC")
        assert module.run(env) == module.EXPECTED


def test_there_are_programs_with_pandas() -> None:
    assert {program.stem for program in PROGRAMS} >= {"pandas_conversions", "pandas_functions"}
