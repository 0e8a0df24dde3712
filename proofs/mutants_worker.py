"""The child process of ``proofs/mutate_sql.py`` that runs statements: ``python proofs/mutants_worker.py arrow|spark TIMEOUT``, requests and responses are lines of JSON."""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(Path(__file__).resolve().parent), str(ROOT / "tests" / "conformance")]

MEMORY = 8 << 30
ROWS = 10_000
"""The number of rows that are read from a result before it is closed."""


class Session:
    """The environment, with the set-up of the current statements."""

    def __init__(self, engine: str, timeout: str) -> None:
        from corpus import load_adapter

        self._timeout = timeout
        self._adapter = load_adapter(engine)
        self._environment: Any = None
        self._prepared: list[str] | None = None
        self.folder = ""

    def prepare(self, setup: list[str]) -> Any:
        """Returns an environment after the statements of a set-up."""
        from table_common.exceptions import TableError

        if self._prepared == setup:
            return self._environment._env
        if self._environment is not None:
            self._environment.close()
        self.folder = tempfile.mkdtemp(prefix="mutated_")
        self._environment, self._prepared = self._adapter.make_env("batch"), setup
        self._environment._env.get_config().set("table.exec.timeout", f"{float(self._timeout):.0f} s")
        for statement in setup:
            with suppress(TableError):  # then objects are missing
                if statement.startswith("random tables "):
                    self._random_tables(int(statement.split()[-1]))
                else:
                    self._environment.run(self.text(statement))
        return self._environment._env

    def text(self, sql: str) -> str:
        """Inserts the folder of this set-up into a statement."""
        return sql.replace("${TMP}", self.folder)

    def forget(self) -> None:
        """Makes the next statement use a new environment."""
        self._prepared = None

    def _random_tables(self, seed: int) -> None:
        from random_sql.tables import random_tables

        for table in random_tables(random.Random(seed), 0):
            environment = self._environment._env
            environment.create_temporary_view(table.name, environment.from_arrow(table.to_arrow()))


def types_of(environment: Any, sql: str) -> dict[str, Any]:
    """Returns the types of the expressions of a statement by their positions, up to its first error."""
    from table_api.resolution.resolver import ExpressionResolver
    from table_common.exceptions import TableError

    found: dict[tuple[int, int], tuple[str, str]] = {}
    step = ExpressionResolver._step

    def noted(self: Any, node: Any, children: Any) -> Any:
        result = step(self, node, children)
        if self.text == sql and node.span is not None:
            of = getattr(result, "output_type", None)
            if of is not None:
                found[node.span[0], node.span[1]] = str(of), type(result).__name__
        return result

    ExpressionResolver._step = noted  # type: ignore[method-assign]  # the resolver keeps its types to itself
    try:
        environment._session.parse(sql)
    except TableError:
        pass  # the types resolved before the error are useful
    finally:
        ExpressionResolver._step = step  # type: ignore[method-assign]  # as above
    return {"types": [[*place, *what] for place, what in found.items()]}


def compiled(environment: Any, sql: str) -> dict[str, Any]:
    """Returns the compiled plan of an INSERT of a query into ``blackhole``, if it can be compiled."""
    from table_common.exceptions import TableError

    try:
        columns = environment.sql_query(sql).get_resolved_schema().columns
        written = ", ".join(f"c{number} {column.data_type}" for number, column in enumerate(columns))
        environment.execute_sql("DROP TEMPORARY TABLE IF EXISTS nowhere")
        environment.execute_sql(f"CREATE TEMPORARY TABLE nowhere ({written}) WITH ('connector' = 'blackhole')")
        return {"plan": environment.compile_plan_sql(f"INSERT INTO nowhere {sql}").as_json_string()}
    except TableError:
        return {}


def ended(environment: Any, sql: str) -> dict[str, Any]:
    """Runs a statement and returns its outcome."""

    def run(answer: dict[str, Any]) -> None:
        environment._session.parse(sql)
        answer["has_types"] = True
        result = environment.execute_sql(sql)
        with result.collect() as rows:
            for number, _ in enumerate(rows):
                if number >= ROWS:
                    break

    return _outcome(run)


def plan_ended(environment: Any, text: str) -> dict[str, Any]:
    """Runs a compiled plan and returns its outcome."""
    from table_api import PlanReference

    def run(answer: dict[str, Any]) -> None:
        plan = environment.load_plan(PlanReference.from_json_string(text))
        answer["has_types"] = True
        plan.explain()
        plan.execute().wait()

    return _outcome(run)


def _outcome(run: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    from table_common.exceptions import TableError, TableInternalError

    answer: dict[str, Any] = {"how": "result", "what": "", "has_types": False}
    started = time.monotonic()
    try:
        run(answer)
    except TableInternalError as error:
        answer |= {"how": "internal", "what": _text(error)}
    except TableError as error:
        answer |= {"how": "error", "what": _text(error)}
    except BaseException as error:
        answer |= {"how": "raw", "what": _text(error)}
    return {**answer, "seconds": round(time.monotonic() - started, 2)}


def _text(error: BaseException) -> str:
    notes = "".join(f"\n{note}" for note in getattr(error, "__notes__", ()))
    return f"{type(error).__name__}: {error}{notes}"[:3000]


def main() -> None:
    """Handles requests until the end of the input."""
    engine = sys.argv[1]
    if engine == "arrow":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    session = Session(engine, sys.argv[2])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of the print connector is not a response
    for line in sys.stdin:
        job = json.loads(line)
        environment, sql = session.prepare(job["setup"]), session.text(job["sql"])
        match job["request"]:
            case "types":
                answer = types_of(environment, job["sql"])
            case "compile":
                answer = compiled(environment, sql)
            case "plan":
                answer = plan_ended(environment, sql)
            case _:
                answer = ended(environment, sql)
                # After a statement that changes the session, the next one gets a new session.
                if not sql.lstrip(" (").upper().startswith(("SELECT", "WITH", "VALUES")):
                    session.forget()
        out.write(json.dumps(answer) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
