"""Differential testing with random queries: `python proofs/differential.py --against duckdb|spark|streaming [--seconds N] [--queries N] [--seed N] [--memory BYTES] [--threads N] [--divided]`.

Random tables (all types that DuckDB also has; NULL, NaN, -0.0, extreme values; zero, one, few or 100,000 rows; in memory and in files of every format)
and random queries over them run on the embedded engine and on DuckDB, on both of our engines, or on the embedded engine in both modes. Results are compared as multisets of rows. A
difference is minimized and printed as a separate program. Each set of tables has a seed, which is printed; ``--seed N --sets 1`` repeats it.

Where DuckDB's semantics differ from Flink's, the SQL for DuckDB is rewritten, or the query is not generated:

- Integer division and AVG of integers return integers (`//` in DuckDB), and SUM keeps the type of its argument, so that it may overflow.
- A cast to an integer truncates (`TRUNC`); DuckDB rounds. BOOLEAN is printed in upper case.
- Comparisons with NaN are false; in DuckDB it equals itself and is the greatest number.
- Numbers of different types are compared exactly, in a decimal type that contains both; FLOAT with an integer as FLOAT, otherwise FLOAT and DOUBLE as DOUBLE.
- GREATEST and LEAST with a NULL are NULL; DuckDB ignores NULLs.
- FIRST_VALUE and LAST_VALUE ignore NULLs (`IGNORE NULLS`).
- Grouping sets with keys return no row over no rows; in DuckDB the empty set returns one.
- A row with a NULL is not in a list of rows if another value differs; DuckDB returns NULL. Only the truth of the result is compared.
- An aggregate over only outer columns belongs to the query in which it is written; in DuckDB to the outer one. Not generated.
- Decimals are divided and averaged as decimals, in DuckDB as DOUBLE: the results are compared to six digits.
- NULLs are the smallest values; in DuckDB they are last. NULLS FIRST or LAST is always explicit, and LIMIT follows an ORDER BY of all columns.
- DuckDB 1.5 loses rows of anti-joins without an equality. Not generated.
- Sums of floats, variances and quotients may differ in the last digits, so they are selected but not used in conditions.

- A value raises an error only if it is computed, and engines skip computations that they find unnecessary: the other side of a join
  ON FALSE, an unused column, a condition after a false one. If only one engine has such an error, and a part of the query
  raises one on the other engine when it runs alone, the case is counted separately.

Everything else is a difference, except errors on both engines, and queries that DuckDB rejects or fails to plan (counted separately).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from random_sql.comparison import difference
from random_sql.engines import DuckDB, Engine, Ours, Outcome
from random_sql.minimize import minimized
from random_sql.parts import is_of_a_part
from random_sql.queries import QueryGenerator
from random_sql.script import script_of
from random_sql.tables import Table, random_tables
from random_sql.tree import Query

QUERIES_PER_SET = {"duckdb": 30, "spark": 60, "streaming": 30}
SHARE_IN_FILES = {"duckdb": 0.3, "spark": 0.1, "streaming": 0.1}
"""Formats for which Spark starts Python workers, which takes longer than the query."""
PROGRESS_SECONDS = 60
REFUSED = ("BinderException", "NotImplementedException", "InternalException", "ParserException", "CatalogException")
"""Errors of DuckDB that do not depend on the data."""


__all__ = ["DuckDB", "Ours", "Outcome", "Run", "compare", "main"]


class Run:
    """A comparison of two engines over several sets of tables."""

    def __init__(self, ours: Ours, theirs: Engine, against: str, minimize_seconds: float = 60) -> None:
        self.ours, self.theirs, self.against = ours, theirs, against
        self.counts: Counter[str] = Counter()
        self.scripts: list[str] = []
        self._seconds = minimize_seconds
        self._seen: set[str] = set()

    def summary(self) -> str:
        """Returns the number of queries by outcome."""
        return ", ".join(f"{count} {name}" for name, count in sorted(self.counts.items()))

    def compare_set(self, seed: int, until: float, limit: int) -> None:
        """Compares the queries of one seed."""
        rng = random.Random(seed)
        tables = random_tables(rng, SHARE_IN_FILES[self.against])
        self._load(tables)
        generator = QueryGenerator(rng, tables)
        for number in range(QUERIES_PER_SET[self.against]):
            query = generator.query()
            if time.monotonic() > until or self.counts["compared"] >= limit:
                return
            found = self._difference(query, count=True)
            if found is not None:
                self._report(query, tables, found, f"seed {seed}, query {number}")
                self._load(tables)

    def _load(self, tables: Sequence[Table]) -> None:
        self.ours.load(tables)
        if isinstance(self.theirs, Ours):
            self.theirs.load(tables, written=self.ours.folder)
        else:
            self.theirs.load(tables)

    def _difference(self, query: Query, *, count: bool = False) -> str | None:
        theirs = self.theirs.run(query)
        if theirs.kind in REFUSED and self.against == "duckdb":
            self.counts["refused by DuckDB"] += count
            return None
        if self.against == "streaming" and theirs.error is not None and "can be sorted only by" in theirs.error:
            self.counts["ORDER BY without LIMIT"] += count
            return None
        ours = self.ours.run(query)
        self.counts["compared"] += count
        if self.against == "streaming" and not theirs.rows and len(ours.rows) == 1:
            self.counts["total over no rows"] += count
            return None
        self.counts["error of both"] += count and ours.error is not None and theirs.error is not None
        found = difference(ours, theirs)
        if found is not None and is_of_a_part(query, ours, theirs, self.ours, self.theirs):
            self.counts["error of a part that one did not compute"] += count
            return None
        return found

    def _report(self, query: Query, tables: Sequence[Table], found: str, where: str) -> None:
        self.counts["different"] += 1
        print(f"--- {where}: {found}", flush=True)
        if found != "rows" and found in self._seen:
            return
        self._seen.add(found)

        def is_different(candidate: Query, smaller: Sequence[Table]) -> bool:
            try:
                self._load(smaller)
            except Exception:  # a table that cannot be written is not a smaller example
                return False
            return self._difference(candidate) == found

        smallest, left = minimized(query, tables, is_different, self._seconds)
        self.scripts.append(script_of(smallest, left, self.against, f"{where}: {found}"))
        print(self.scripts[-1], flush=True)


def compare(
    against: str,
    seed: int,
    *,
    seconds: float,
    queries: int = sys.maxsize,
    sets: int = sys.maxsize,
    memory: int | None = None,
    threads: int = -1,
    is_divided: bool = False,
    external: Any = None,
    progress: bool = False,
) -> Run:
    """Compares until the limit for time, queries or sets of tables; ``progress`` is printed every minute.

    With ``memory``, operators of the embedded engine that hold more bytes spill. It runs on ``threads`` (-1: one per processor), and divides also
    few rows into parts if ``is_divided`` is set.
    """
    from table_runtime.batch import parts
    from table_runtime.run.memory import account

    fewest = parts.FEWEST_ROWS, parts.FEWEST_GROUPS
    ours = Ours("arrow", threads=threads)
    session = _session() if against == "spark" and external is None else None
    theirs: Ours | DuckDB
    if against == "duckdb":
        theirs = DuckDB()
    elif against == "streaming":
        theirs = Ours("arrow", streaming=True)
    else:
        theirs = Ours("spark", external or {"spark": session})
    run = Run(ours, theirs, against)
    account.FIXED = memory
    if is_divided:
        parts.FEWEST_ROWS = parts.FEWEST_GROUPS = 1
    until = time.monotonic() + seconds
    said = time.monotonic()
    try:
        for number in range(sets):
            if time.monotonic() > until or run.counts["compared"] >= queries:
                break
            if session is not None:
                _compile(session, (seed + number) % 4 == 0)
            run.compare_set(seed + number, until, queries)
            if progress and time.monotonic() - said > PROGRESS_SECONDS:
                said = time.monotonic()
                print(f"seeds {seed} to {seed + number}: {run.summary()}", flush=True)
    finally:
        account.FIXED = None
        parts.FEWEST_ROWS, parts.FEWEST_GROUPS = fewest
        ours.close()
        theirs.close()
    return run


def _session() -> Any:
    from table_planner_spark import local_session

    options = {
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",
    }
    return local_session("local[2]", options)


def _compile(session: Any, wanted: bool) -> None:
    """Switches Spark between generated code and interpretation; generating code takes most of the time of a query over few rows."""
    session.conf.set("spark.sql.codegen.wholeStage", str(wanted).lower())
    session.conf.set("spark.sql.codegen.factoryMode", "FALLBACK" if wanted else "NO_CODEGEN")


def main() -> int:
    """Runs the program; 1 if there are differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", choices=("duckdb", "spark", "streaming"), default="duckdb")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--queries", type=int, default=sys.maxsize)
    parser.add_argument("--memory", type=int, help="bytes that an operator of the embedded engine may hold before it spills")
    parser.add_argument("--threads", type=int, default=-1, help="threads of the embedded engine (default: one per processor)")
    parser.add_argument("--divided", action="store_true", help="operators of the embedded engine divide also few rows into parts")
    parser.add_argument("--sets", type=int, default=sys.maxsize, help="sets of tables")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    run = compare(
        arguments.against,
        arguments.seed,
        seconds=arguments.seconds,
        queries=arguments.queries,
        sets=arguments.sets,
        memory=arguments.memory,
        threads=arguments.threads,
        is_divided=arguments.divided,
        progress=True,
    )
    print(run.summary())
    return 1 if run.counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
