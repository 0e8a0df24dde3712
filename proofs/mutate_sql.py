"""Broken SQL ends well: mutated statements give a result or one of our errors, and never a raw exception, a hang or a crash.

    python proofs/mutate_sql.py [--engine arrow|spark] [--count 10000] [--seed 1] [--report FILE]

Statements come from the conformance corpus (its folder, see tests/conformance/corpus.py) with their set-up, and from TPC-DS where DuckDB's
extension is installed. Each is cut, doubled, swapped, spliced or filled with words and numbers that do not belong there, by a generator that
the seed fixes. Another process runs them, under ``table.exec.timeout`` and a limit of memory, so that a crash or a hang is seen from outside.

Ends with status 1 if any statement ended badly; the worst are printed with what is needed to run them again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import select
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(Path(__file__).resolve().parent), str(ROOT / "tests" / "conformance"), str(ROOT / "benchmarks")]

TIMEOUT = {"arrow": 5, "spark": 30}
"""Seconds that a statement may run, ``table.exec.timeout``."""
GRACE = 25
"""Seconds after which a statement that has not ended hangs."""
MEMORY = 8 << 30
ROWS = 10_000
"""Rows of a result that are read; then it is closed."""
BAD = ("raw", "internal", "hang", "crash")


@dataclass(frozen=True)
class Job:
    """A statement with what it needs."""

    origin: str
    mode: str
    setup: tuple[str, ...]
    sql: str


# --- statements --------------------------------------------------------------------------------------------------


def originals() -> list[Job]:
    """Returns the statements that are mutated."""
    from corpus import NOT_FOUND, corpus_folder, load_runner

    folder = corpus_folder()
    if folder is None:
        raise SystemExit(NOT_FOUND)
    cases = load_runner(folder).load([str(folder / "cases")])
    data = str(folder / "data")
    jobs = [
        Job(case["id"], case["mode"], tuple(text.replace("${DATA}", data) for text in case["setup"]), case["sql"].replace("${DATA}", data))
        for case in cases
        if case["mode"] == "batch"
    ]
    return jobs + tpcds()


def tpcds() -> list[Job]:
    """Returns the queries of TPC-DS over tables of its smallest scale; none where the extension is not installed."""
    try:
        from harness.tpc import load

        workload = load("tpcds", 0.01, ROOT / "data" / "tpc")
    except (ImportError, SystemExit) as error:
        print(f"TPC-DS is left out: {error}")
        return []
    return [Job(f"tpcds_{number}", "batch", tuple(workload.definitions), text) for number, text in workload.queries.items()]


def jobs(count: int, seed: int) -> list[Job]:
    """Returns the mutated statements; those of one original stand together, so that they share its set-up."""
    from sql_mutations import mutated

    generator = random.Random(seed)
    found = originals()
    # Statements are drawn with the same chance whether their area has many cases or few.
    areas: dict[str, list[Job]] = {}
    for job in found:
        areas.setdefault(re.sub(r"_?[\d_]*$", "", job.origin), []).append(job)
    drawn = Counter(generator.choice(areas[generator.choice(sorted(areas))]) for _ in range(count))
    return [
        Job(job.origin, job.mode, job.setup, mutated(job.sql, generator.choice(found).sql, generator))
        for job, times in drawn.items()
        for _ in range(times)
    ]


# --- the process that runs them --------------------------------------------------------------------------------------------------------


def work(engine: str) -> None:
    """Runs the statements that come in as lines of JSON and prints how each ended."""
    from corpus import load_adapter

    from table_common.exceptions import TableError

    if engine == "arrow":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    adapter = load_adapter(engine)
    environment: Any = None
    prepared: Any = None
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the print connector writes is not an answer
    for line in sys.stdin:
        job = json.loads(line)
        folder = tempfile.mkdtemp(prefix="mutated_")
        # A statement that changes the session gets a new one for those behind it.
        if prepared != job["setup"]:
            if environment is not None:
                environment.close()
            environment, prepared = adapter.make_env(job["mode"]), job["setup"]
            environment._env.get_config().set("table.exec.timeout", f"{TIMEOUT[engine]} s")
            for statement in job["setup"]:
                with suppress(TableError):  # then the statement finds less
                    environment.run(statement.replace("${TMP}", folder))
        out.write(json.dumps(_ended(environment._env, job["sql"].replace("${TMP}", folder))) + "\n")
        out.flush()
        if not job["sql"].lstrip(" (").upper().startswith(("SELECT", "WITH", "VALUES")):
            prepared = None


def _ended(environment: Any, sql: str) -> dict[str, str]:
    from table_common.exceptions import TableError, TableInternalError

    try:
        result = environment.execute_sql(sql)
        with result.collect() as rows:
            for number, _ in enumerate(rows):
                if number >= ROWS:
                    break
    except TableInternalError as error:
        return {"how": "internal", "what": f"{type(error).__name__}: {error}"}
    except TableError as error:
        return {"how": "error", "what": type(error).__name__}
    except BaseException as error:
        return {"how": "raw", "what": f"{type(error).__name__}: {error}"}
    return {"how": "result", "what": ""}


class Worker:
    """The process, seen from here; made anew when it died or hangs."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._process: subprocess.Popen[str] | None = None

    def run(self, job: Job) -> dict[str, str]:
        """Returns how a statement ended."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(asdict(job)) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return self._ended("crash", f"status {process.wait()}")
        ready, _, _ = select.select([process.stdout], [], [], TIMEOUT[self._engine] + GRACE)
        if not ready:
            return self._ended("hang", f"no end after {TIMEOUT[self._engine] + GRACE} s")
        answer = process.stdout.readline()
        if not answer:
            return self._ended("crash", f"status {process.wait()}")
        ended: dict[str, str] = json.loads(answer)
        return ended

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            command = [sys.executable, __file__, "--worker", "--engine", self._engine]
            errors = subprocess.DEVNULL
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
        return self._process

    def _ended(self, how: str, what: str) -> dict[str, str]:
        self.close()
        return {"how": how, "what": what}


def outcomes(engine: str, todo: Sequence[Job]) -> Iterator[tuple[Job, dict[str, str]]]:
    """Yields each statement with how it ended."""
    worker = Worker(engine)
    try:
        for number, job in enumerate(todo, 1):
            yield job, worker.run(job)
            if number % 1000 == 0:
                print(f"... {number} of {len(todo)}", flush=True)
    finally:
        worker.close()


def main() -> int:
    """Runs the proof."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("arrow", "spark"), default="arrow")
    parser.add_argument("--count", type=int, default=10_000, help="statements (default: 10000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, help="where the statements that ended badly are written, as lines of JSON")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        work(arguments.engine)
        return 0
    print(f"{arguments.count} statements on {arguments.engine}, seed {arguments.seed}")
    counts: Counter[str] = Counter()
    bad: list[dict[str, Any]] = []
    for job, ended in outcomes(arguments.engine, jobs(arguments.count, arguments.seed)):
        counts[ended["how"]] += 1
        if ended["how"] in BAD:
            bad.append({**asdict(job), **ended})
    print(", ".join(f"{how}: {counts[how]}" for how in ("result", "error", *BAD)))
    for entry in bad[:20]:
        print(f"\n{entry['how']} ({entry['origin']}): {entry['what'][:500]}\n  {entry['sql'][:700]}")
    if arguments.report:
        arguments.report.write_text("".join(json.dumps(entry) + "\n" for entry in bad), encoding="utf-8")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
