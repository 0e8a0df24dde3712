"""A third-party plug-in: its wheel is built, installed into a folder, and used from SQL on both engines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

PLUGIN = Path(__file__).parent / "plugin"
Results = dict[str, Any]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the installed wheel; a pure Python wheel is installed by unpacking it."""
    folder = tmp_path_factory.mktemp("plugin")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(build, cwd=PLUGIN, check=True, capture_output=True)
    (wheel,) = (folder / "dist").iterdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


@pytest.fixture(scope="module", params=["arrow", "spark"])
def results(request: pytest.FixtureRequest, installed: Path) -> Results:
    path = os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, str(PLUGIN / "program.py"), request.param]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: Results = json.loads(done.stdout.splitlines()[-1])
    return found


def test_plugin_depends_only_on_table_common(installed: Path) -> None:
    (metadata,) = installed.glob("geo_plugin-*.dist-info/METADATA")
    needed = [line for line in metadata.read_text().splitlines() if line.startswith("Requires-Dist")]
    assert needed == ["Requires-Dist: table-common<0.2,>=0.1"]


def test_plugin_imports_only_table_common(installed: Path) -> None:
    text = "\n".join(file.read_text() for file in (installed / "geo_plugin").glob("*.py"))
    assert not [name for name in ("table_api", "table_runtime", "table_planner_spark", "pyarrow") if name in text]


def test_plugin_module_is_loaded_by_its_name(results: Results) -> None:
    assert results["modules"] == [["core"], ["geo"]]


def test_plugin_functions_are_listed(results: Results) -> None:
    assert results["functions"] == [["geo_distance"], ["geo_northernmost"], ["geo_point"]]


def test_plugin_functions_accept_and_return_its_type(results: Results) -> None:
    assert results["distance"] == [[877]]
    assert results["field"] == [["Sydney", -33.8688]]


def test_plugin_function_skips_null(results: Results) -> None:
    assert results["null"] == [[None]]


def test_plugin_aggregate_runs(results: Results) -> None:
    assert results["aggregate"] == [[52.52]]


def test_plugin_type_is_a_type_of_columns(results: Results) -> None:
    point = "STRUCTURED<'geo_plugin.geo_point.GeoPoint', `lat` DOUBLE, `lon` DOUBLE>"
    types = [row[1] for row in results["type"]]
    assert types[0].replace("*", "").startswith(point[:10]) or "lat" in types[0]
    assert types[1].startswith("ARRAY<")


def test_plugin_catalog_has_its_table(results: Results) -> None:
    assert results["tables"] == [["cities"]]
    assert results["catalog"] == [["Berlin", 52.52], ["Paris", 48.8566]]


def test_plugin_connector_is_found_by_entry_point(results: Results) -> None:
    assert results["entry point"] == [["Berlin"], ["Paris"], ["Sydney"]]


def test_plugin_connector_is_found_in_the_module(results: Results) -> None:
    assert results["module"] == [["Berlin"], ["Paris"], ["Sydney"]]


def test_plugin_connector_refuses_unknown_options(results: Results) -> None:
    assert "color" in results["wrong option"]


def test_plugin_function_refuses_other_types(results: Results) -> None:
    assert "geo_distance(INT NOT NULL, INT NOT NULL) is not a valid call" in results["wrong argument"]


def test_plugin_function_is_unknown_without_its_module(results: Results) -> None:
    assert "it is a function of the module 'geo', which is loaded, but not used" in results["unknown"]
    assert "hint: USE MODULES core, geo" in results["unknown"]


def test_plugin_format_is_written_and_read(results: Results) -> None:
    assert results["written"] == [[3]]
    assert results["read"] == [[True, "Berlin"], [True, "Paris"], [False, "Sydney"]]


def test_plugin_format_infers_the_columns_of_its_files(results: Results) -> None:
    assert results["inferred"] == [["Berlin", 52.52, True], ["Paris", 48.8566, True], ["Sydney", -33.8688, False]]


def test_plugin_format_is_asked_only_for_existing_columns(results: Results) -> None:
    assert "'nmae' does not exist in the geo-document file" in results["misspelt"]
    assert "Did you mean 'name'?" in results["misspelt"]


def test_a_failure_of_the_plugin_format_names_the_file(results: Results) -> None:
    assert "The geo-document file '" in results["damaged"]
    assert "JSONDecodeError" in results["damaged"]
    assert "bug" not in results["damaged"]


def test_plugin_format_refuses_a_type(results: Results) -> None:
    assert "The format 'geo-document' has no form for column 'd' of the type DATE" in results["refused"]


def test_plugin_format_refuses_unknown_options(results: Results) -> None:
    assert "color" in results["wrong format option"]
