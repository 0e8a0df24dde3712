"""An environment without one of our distributions: only dependent features fail, and the error names the distribution to install.

The environment is a folder of links to everything that is installed here, but for what is left out; a fresh interpreter sees that
folder alone.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable
from importlib.metadata import distribution
from pathlib import Path

import pytest

Run = Callable[[Iterable[str], str], "subprocess.CompletedProcess[str]"]
OURS = ("table-common", "table-api", "table-runtime", "table-api-bridge", "table-planner-spark", "sql-client")


@pytest.fixture
def run_without(tmp_path: Path) -> Run:
    def run(left_out: Iterable[str], program: str) -> subprocess.CompletedProcess[str]:
        folder = tmp_path / "-".join(["without", *left_out])
        folder.mkdir()
        link_everything(folder, set(left_out))
        bootstrap = f"import sys; sys.path.insert(0, {str(folder)!r}); "
        return subprocess.run([sys.executable, "-I", "-S", "-c", bootstrap + program], capture_output=True, text=True, check=False)

    return run


def link_everything(folder: Path, left_out: set[str]) -> None:
    modules = {name: name.replace("-", "_") for name in OURS}
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        stem = entry.name.split("-")[0].lstrip("_")
        if stem not in modules.values() and not entry.name.endswith(".pth") and not entry.name.startswith("__editable__"):
            (folder / entry.name).symlink_to(entry)
    for name, module in modules.items():
        if name in left_out:
            continue
        spec = importlib.util.find_spec(module)
        assert spec is not None
        assert spec.origin is not None
        (folder / module).symlink_to(Path(spec.origin).parent)
        metadata = Path(str(distribution(name)._path))  # type: ignore[attr-defined]  # the only way to the folder of the metadata
        (folder / metadata.name).symlink_to(metadata)


QUERY = (
    "from table_api import TableEnvironment, EnvironmentSettings as S; "
    "print(TableEnvironment.create(S.new_instance().in_batch_mode().with_planner({planner!r}).build())"
    ".execute_sql('SELECT 1 + 1').to_arrow().column(0).to_pylist())"
)


def test_without_spark_distributions_the_embedded_engine_runs(run_without: Run) -> None:
    done = run_without(["table-planner-spark", "table-api-bridge"], QUERY.format(planner="arrow"))
    assert done.stdout.strip() == "[2]", done.stderr


def test_without_the_client_the_embedded_engine_runs(run_without: Run) -> None:
    done = run_without(["sql-client"], QUERY.format(planner="arrow"))
    assert done.stdout.strip() == "[2]", done.stderr


def test_without_the_runtime_the_error_names_it(run_without: Run) -> None:
    done = run_without(["table-runtime", "table-planner-spark"], QUERY.format(planner="arrow"))
    assert "No planner is installed" in done.stderr
    assert "pip install table-runtime[planner]" in done.stderr


def test_without_the_spark_planner_the_error_names_it(run_without: Run) -> None:
    done = run_without(["table-planner-spark"], QUERY.format(planner="spark"))
    assert "No planner 'spark' is installed" in done.stderr
    assert "Installed planners: arrow" in done.stderr
    assert "pip install table-planner-spark" in done.stderr


def test_without_the_bridge_the_error_of_the_spark_planner_names_it(run_without: Run) -> None:
    done = run_without(["table-api-bridge"], QUERY.format(planner="spark"))
    assert "table-planner-spark" in done.stderr
    assert "pip install" in done.stderr
    assert "table_api_bridge" in done.stderr


def test_without_any_planner_the_error_names_both(run_without: Run) -> None:
    program = (
        "from table_api import TableEnvironment, EnvironmentSettings as S; "
        "TableEnvironment.create(S.in_batch_mode()).execute_sql('SELECT 1').to_arrow()"
    )
    done = run_without(["table-runtime", "table-planner-spark"], program)
    assert "pip install" in done.stderr
    assert "table-runtime[planner]" in done.stderr
    assert "table-planner-spark" in done.stderr


def test_table_common_needs_no_other_distribution(run_without: Run) -> None:
    rest = [name for name in OURS if name != "table-common"]
    done = run_without(rest, "import table_common.types, table_common.factories; print(table_common.types.DataTypes.INT())")
    assert done.stdout.strip() == "INT", done.stderr
