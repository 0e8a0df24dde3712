"""Mutated SQL statements end in a result or in one of our errors, never in a raw exception, a hang or a crash.

    python proofs/mutate_sql.py [--engine arrow|spark] [--count 10000] [--seed 1] [--report FILE] [--text]

Statements come from the conformance corpus (its folder, see tests/conformance/corpus.py) with their set-up, from the project's own cases, and from
the random queries of ``proofs/random_sql``. The syntax tree of each is mutated, with a seeded random generator: expressions of the same type are
exchanged between statements, constants become extreme values, functions and operators are replaced by others with the same signature, list items are duplicated or
removed, expressions and queries are nested and wrapped, and joins, set operations, windows, intervals and orders are changed
(``sql_mutations.py``). So most of them are still valid, and the program prints their number. With ``--text`` the text is cut, duplicated,
swapped and spliced instead, so most of it is no longer SQL.

A child process runs them (``mutants_worker.py``), with ``table.exec.timeout`` and a memory limit, so that a crash or a hang is detected.
An error message also counts as a failure if it contains class names of Java or Arrow, or messages of Python about its own objects.

The exit status is 1 if any statement failed; the worst failures are printed with everything needed to repeat them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(Path(__file__).resolve().parent), str(ROOT / "tests" / "conformance")]

PATIENCE = 10
"""Seconds after which an unfinished statement counts as a hang, without its set-up; its ``table.exec.timeout`` is half of that."""
SILENCE = 90
"""Seconds without a response, in addition to the time of a hang, after which the process is killed."""
BAD = ("raw", "internal", "unclear", "hang", "crash")
UNCLEAR = re.compile(
    r"java\.|scala\.|org\.apache|Py4J|py4j|Traceback|pyarrow\.|Arrow(Invalid|NotImplemented|Type)|An error occurred while calling|NoneType|"
    r"has no attribute|unsupported operand|object is not|not subscriptable|SQLSTATE|INTERNAL_ERROR| at 0x[0-9a-f]{4}|codec can't|<class '|"
    r"KeyError|TypeError|ValueError|IndexError|AttributeError|AssertionError|RecursionError|std::|Cannot locate|Function '\w+' has no kernel"
)
RANDOM_SETS = 60
"""The number of sets of random tables in a run; the queries are distributed over them."""


@dataclass(frozen=True)
class Job:
    """A statement with its set-up."""

    origin: str
    setup: tuple[str, ...]
    sql: str


# --- statements --------------------------------------------------------------------------------------------------


def originals(generator: random.Random, count: int) -> list[Job]:
    """Returns ``count`` statements to mutate, or all if there are fewer."""
    found = [*_corpus(), *_own_cases()]
    # Areas are drawn with equal probability, whatever their number of cases.
    areas: dict[str, list[Job]] = {}
    for job in found:
        areas.setdefault(re.sub(r"_?[\d_]*$", "", job.origin.split(":")[0]), []).append(job)
    if count < len(found):
        found = list({generator.choice(areas[generator.choice(sorted(areas))]): None for _ in range(count)})
    return found + list(_random_queries(generator, max(5, len(found) // 4)))


def _corpus() -> Iterator[Job]:
    from corpus import NOT_FOUND, corpus_folder, load_runner

    folder = corpus_folder()
    if folder is None:
        print(f"public {NOT_FOUND}")
        return
    data = str(folder / "data")
    for case in load_runner(folder).load([str(folder / "cases")]):
        if case["mode"] == "batch":
            setup = tuple(text.replace("${DATA}", data) for text in case["setup"])
            yield Job(case["id"], setup, case["sql"].replace("${DATA}", data))


def _own_cases() -> Iterator[Job]:
    from case_file import read_cases

    for case in read_cases():
        yield Job(case.id, case.setup, case.sql)


def _random_queries(generator: random.Random, count: int) -> Iterator[Job]:
    from random_sql.queries import QueryGenerator
    from random_sql.tables import random_tables
    from random_sql.tree import text

    sets = min(RANDOM_SETS, max(1, count // 5))
    for _ in range(sets):
        seed = generator.randrange(1 << 30)
        rng = random.Random(seed)
        queries = QueryGenerator(rng, random_tables(rng, 0))
        for number in range(count // sets):
            yield Job(f"random {seed} {number}", (f"random tables {seed}",), text(queries.query(), "flink"))


def mutants(count: int, seed: int) -> Iterator[Job]:
    """Yields statements with mutated trees, grouped by set-up."""
    from sql_mutations import Mutator
    from sql_trees import tree_of

    from table_common.exceptions import TableError

    generator = random.Random(seed)
    trees = []
    worker = Worker("arrow")
    for job in originals(generator, count):
        answer = worker.ask("types", job)
        try:
            tree = tree_of(job.sql, repr(job.setup), {(start, end): (of, kind) for start, end, of, kind in answer.get("types", ())})
        except TableError:
            continue  # a case of an error
        trees.append((job, tree))
    worker.close()
    print(f"{len(trees)} statements, {sum(len(tree.expressions) for _, tree in trees)} expressions with types", flush=True)
    mutator = Mutator([tree for _, tree in trees], generator)
    # A statement with more expressions has more possible mutations.
    weights = [min(5, 1 + len(tree.expressions) // 4) for _, tree in trees]
    drawn = Counter(generator.choices(range(len(trees)), weights, k=count))
    for number in sorted(drawn, key=lambda one: trees[one][0].setup):
        job, tree = trees[number]
        for _ in range(drawn[number]):
            yield replace(job, sql=mutator.mutated(tree))


def broken_texts(count: int, seed: int) -> Iterator[Job]:
    """Yields statements with mutated text."""
    from text_mutations import mutated

    generator = random.Random(seed)
    found = originals(generator, count)
    drawn = Counter(generator.choice(found) for _ in range(count))
    for job in sorted(drawn, key=lambda one: one.setup):
        for _ in range(drawn[job]):
            yield replace(job, sql=mutated(job.sql, generator.choice(found).sql, generator))


# --- the process that runs them --------------------------------------------------------------------------------------------------------


class Worker:
    """A handle of the child process, which is replaced after a crash or a hang."""

    def __init__(self, engine: str, patience: float = PATIENCE) -> None:
        self._engine, self._patience = engine, patience
        self._process: subprocess.Popen[str] | None = None

    def run(self, job: Job, request: str = "run") -> dict[str, Any]:
        """Returns the outcome of a statement or of a compiled plan."""
        ended = self.ask(request, job)
        if ended["how"] == "error" and UNCLEAR.search(ended["what"]):
            return {**ended, "how": "unclear"}
        if ended["how"] in ("result", "error") and ended["seconds"] > self._patience:
            return {**ended, "how": "hang", "what": f"ended after {ended['seconds']:.0f} s: {ended['what']}"}
        return ended

    def ask(self, what: str, job: Job) -> dict[str, Any]:
        """Returns the response to a request."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps({"request": what, **asdict(job)}) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return self._ended("crash", f"status {process.wait()}")
        ready, _, _ = select.select([process.stdout], [], [], self._patience + SILENCE)
        if not ready:
            return self._ended("hang", f"no answer after {self._patience + SILENCE} s")
        answer = process.stdout.readline()
        if not answer:
            return self._ended("crash", f"status {process.wait()}")
        ended: dict[str, Any] = json.loads(answer)
        return ended

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)  # with its child processes
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
            self._process = None
            self._scratch.cleanup()

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            command = [sys.executable, str(Path(__file__).with_name("mutants_worker.py")), self._engine, str(self._patience / 2)]
            errors = None if os.environ.get("MUTANTS_STDERR") else subprocess.DEVNULL
            # Whatever the process leaves behind, also when it is killed, is removed with this folder.
            self._scratch = tempfile.TemporaryDirectory(prefix="mutated_", ignore_cleanup_errors=True)
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
                env={**os.environ, "TMPDIR": self._scratch.name},
            )
        return self._process

    def _ended(self, how: str, what: str) -> dict[str, Any]:
        self.close()
        return {"how": how, "what": what, "seconds": 0.0, "has_types": True}


def outcomes(engine: str, todo: Sequence[Job], patience: float, request: str = "run") -> Iterator[tuple[Job, dict[str, Any]]]:
    """Yields each statement, or compiled plan, with its outcome."""
    worker = Worker(engine, patience)
    try:
        for number, job in enumerate(todo, 1):
            yield job, worker.run(job, request)
            if number % 500 == 0:
                print(f"... {number} of {len(todo)}", flush=True)
    finally:
        worker.close()


def print_bad(ended: Iterable[tuple[Job, dict[str, Any]]], report: Path | None) -> int:
    """Prints the number of each outcome, and the failures; returns the exit status."""
    counts: Counter[str] = Counter()
    bad: list[dict[str, Any]] = []
    with report.open("w", encoding="utf-8") if report else nullcontext() as file:
        for job, how in ended:
            counts[how["how"]] += 1
            counts["all"] += 1
            counts["types"] += how["has_types"]
            entry = {**asdict(job), **how}
            if how["how"] in BAD:
                bad.append(entry)
            if file:
                file.write(json.dumps(entry) + "\n")
                file.flush()
    for entry in bad[:20]:
        print(f"\n{entry['how']} ({entry['origin']}): {entry['what'][:500]}\n  {entry['sql'][:700]}")
    print(f"\n{counts['types'] / max(1, counts['all']):.0%} have types")
    print(", ".join(f"{how}: {counts[how]}" for how in ("result", "error", *BAD)))
    return 1 if bad else 0


def main() -> int:
    """Runs the proof."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("arrow", "spark"), default="arrow")
    parser.add_argument("--count", type=int, default=10_000, help="statements (default: 10000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, help="file for all statements and their outcomes, as lines of JSON")
    parser.add_argument(
        "--patience",
        type=float,
        default=PATIENCE,
        help="time limit of a statement in seconds (default: 10); increase it on a loaded machine",
    )
    parser.add_argument("--text", action="store_true", help="mutate the text of statements instead of their trees")
    arguments = parser.parse_args()
    print(f"{arguments.count} statements on {arguments.engine}, seed {arguments.seed}", flush=True)
    todo = list((broken_texts if arguments.text else mutants)(arguments.count, arguments.seed))
    return print_bad(outcomes(arguments.engine, todo, arguments.patience), arguments.report)


if __name__ == "__main__":
    sys.exit(main())
