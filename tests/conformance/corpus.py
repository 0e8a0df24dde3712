"""The public corpus of conformance cases: its location, running a case on an engine, and declared deviations.

The corpus lies outside of the repository: in the folder that ``CONFORMANCE_CORPUS`` names, else in ``../shared/conformance``. Its own
``run_corpus.py`` judges results, so that this project cannot be kinder to itself than others are.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from table_common.exceptions import TableError, TableException, TableInternalError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NOT_FOUND = "corpus not found: not run (set CONFORMANCE_CORPUS to the folder that holds run_corpus.py and cases/)"
SECONDS_PER_CASE = 60


@dataclass(frozen=True)
class Outcome:
    """The outcome of one case on one engine."""

    case: dict[str, Any]
    passed: bool
    why: str
    types_equal: bool | None
    # The engine's result: rows, "ok", or an error. disagreements.py compares it between two engines.
    result: tuple[Any, ...] = ()

    @property
    def id(self) -> str:
        return str(self.case["id"])

    @property
    def area(self) -> str:
        return str(self.case["area"])

    @property
    def is_positive(self) -> bool:
        """Whether the case expects a result; an engine that always fails passes all others."""
        return bool(self.case["expect"]["kind"] != "error")


def corpus_folder() -> Path | None:
    """Returns the corpus's folder, or None if there is none."""
    named = os.environ.get("CONFORMANCE_CORPUS")
    folder = Path(named) if named else ROOT.parent / "shared" / "conformance"
    return folder if (folder / "run_corpus.py").is_file() else None


def engines() -> list[str]:
    """Returns the installed planners that can run here: Spark only where Java is found."""
    names = sorted({entry.name for entry in entry_points(group="table.planners")})
    return [name for name in names if name != "spark" or has_java()]


def has_java() -> bool:
    """Returns whether a local Spark session can be started."""
    try:
        from table_planner_spark.session.java import find_java_home
    except ImportError:
        return False
    try:
        find_java_home()
    except TableException:
        return False
    return True


def load_adapter(engine: str) -> ModuleType:
    """Returns the adapter for an engine."""
    before = os.environ.get("CONFORMANCE_PLANNER")
    os.environ["CONFORMANCE_PLANNER"] = engine
    try:
        return _load(HERE / "adapter.py", f"conformance_adapter_{engine}")
    finally:
        if before is None:
            del os.environ["CONFORMANCE_PLANNER"]
        else:
            os.environ["CONFORMANCE_PLANNER"] = before


def load_runner(folder: Path) -> ModuleType:
    """Returns the corpus's own program, which compares results."""
    return _load(folder / "run_corpus.py", "conformance_run_corpus")


def _load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def declared_deviations() -> dict[str, str]:
    """Returns the reason for every case with a deliberately different result."""
    declared = tomllib.loads((HERE / "deviations.toml").read_text(encoding="utf-8"))
    return {case: group["reason"] for group in declared["group"] for case in group["cases"]}


class Corpus:
    """The cases, run on one engine."""

    def __init__(self, folder: Path, engine: str) -> None:
        self._folder = folder
        self._runner = load_runner(folder)
        self._adapter = load_adapter(engine)
        self._is_started = False
        cases = self._runner.load([str(folder / "cases")])
        self.cases: list[dict[str, Any]] = [case for case in cases if not case.get("nondeterministic")]

    @property
    def areas(self) -> list[str]:
        return sorted({case["area"] for case in self.cases})

    def of_area(self, area: str) -> list[dict[str, Any]]:
        return [case for case in self.cases if case["area"] == area]

    def run(self, case: dict[str, Any]) -> Outcome:
        """Runs one case in a new session."""
        if not self._is_started:
            self._adapter.make_env("batch").close()  # the start of the engine does not count towards the first case
            self._is_started = True
        scratch = tempfile.mkdtemp(prefix="conformance_")
        try:
            with _time_limit():
                result = self._result(case, scratch)
        except _TooSlow:
            return Outcome(case, False, f"not done after {SECONDS_PER_CASE} s", None, ("setup", "too slow"))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        if result[0] == "setup":
            return Outcome(case, False, str(result[1]), None, result)
        passed, why, extra = self._runner.judge(case, result)
        return Outcome(case, bool(passed), str(why), extra.get("types"), result)

    def _result(self, case: dict[str, Any], scratch: str) -> tuple[Any, ...]:
        data = str(self._folder / "data")

        def located(sql: str) -> str:
            return sql.replace("${DATA}", data).replace("${TMP}", scratch)

        env = self._adapter.make_env(case["mode"])
        try:
            for statement in case["setup"]:
                try:
                    env.run(located(statement))
                except _TooSlow:
                    raise
                except Exception as error:
                    return "setup", f"setup failed: {statement[:120]}: {error}"
            try:
                result: tuple[Any, ...] = env.run(located(case["sql"]))
            except _TooSlow:
                raise
            except Exception as error:
                if not is_refusal(error):
                    return "setup", f"failed with another error than the project's: {type(error).__name__}: {error}"
                return "error", getattr(error, "category", None), f"{type(error).__name__}: {error}"
            if result[0] != "rows":
                return result
            text = json.dumps(result[2], default=str).replace(scratch, "${TMP}").replace(data, "${DATA}")
            return "rows", result[1], json.loads(text), result[3]
        finally:
            env.close()


def is_refusal(error: BaseException) -> bool:
    """Returns whether an error is one that a user may get: an engine's or Python's own error, or an internal one, is a defect."""
    return isinstance(error, TableError) and not isinstance(error, TableInternalError)


class _TooSlow(Exception):
    pass


@contextlib.contextmanager
def _time_limit() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS_PER_CASE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
