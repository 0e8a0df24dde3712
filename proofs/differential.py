"""Random queries on two engines: `python proofs/differential.py --against duckdb|spark|streaming [--seconds N] [--queries N] [--seed N]`.

Random tables (all types that DuckDB has, too; NULL, NaN, -0.0, extremes; no, one, few or 100,000 rows; in memory and in files of every format)
and random queries of them run on the embedded engine and on DuckDB, on both of our engines, or on the embedded engine in both modes. Results are compared as multisets of rows. A
difference is minimised and printed as a program of its own. Each set of tables has a seed, which is printed; ``--seed N --sets 1`` repeats it.

Where DuckDB means something else by the same words, the text for it says what Flink means, or the query is left out:

- Integer division and AVG of integers give integers (`//` in DuckDB), and SUM keeps the type of its argument, so that it may overflow.
- A cast to an integer cuts (`TRUNC`); DuckDB rounds. BOOLEAN is printed in capitals.
- NaN equals nothing and is less and greater than nothing; in DuckDB it equals itself and is the greatest number.
- Numbers of several types are compared exactly, as the decimal that holds both; FLOAT with an integer as FLOAT, else with FLOAT or DOUBLE as DOUBLE.
- GREATEST and LEAST with a NULL are NULL; DuckDB passes over NULLs.
- FIRST_VALUE and LAST_VALUE pass over NULLs (`IGNORE NULLS`).
- Grouping sets with keys give no row over no rows; in DuckDB the set without keys gives one.
- A row with a NULL is not in a list of rows if another value differs; DuckDB gives NULL. Only whether it is TRUE is compared.
- An aggregate of outer columns alone belongs to the query it is written in; in DuckDB to the outer one. None is made.
- Decimals are divided and averaged as decimals, in DuckDB as DOUBLE: the results are compared to six digits.
- NULLs are the smallest values; in DuckDB they are last. Their place is always written out, and LIMIT follows an ORDER BY of all columns.
- DuckDB 1.5 loses rows of anti-joins that have no equality. None is made.
- Sums of floats, spreads and quotients may differ in the last digits: they are selected, not compared with anything.

- An error that a value raises is raised where the value is computed, and no engine computes what it finds that nothing needs: the other side of a join
  ON FALSE, a column that nobody reads, a condition behind one that is false. Where one engine alone has such an error, and a part of the query
  raises one on the other engine too when it runs alone, that is counted apart.

What is left is a difference, but for an error of both engines, and for what DuckDB refuses or fails to plan (counted apart).
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
from random_sql.minimise import minimised
from random_sql.parts import is_of_a_part
from random_sql.queries import QueryGenerator
from random_sql.script import script_of
from random_sql.tables import Table, random_tables
from random_sql.tree import Query

QUERIES_PER_SET = {"duckdb": 30, "spark": 60, "streaming": 30}
SHARE_IN_FILES = {"duckdb": 0.3, "spark": 0.1, "streaming": 0.1}
"""Spark starts Python workers for files of some formats, which takes longer than a query of them."""
PROGRESS_SECONDS = 60
REFUSED = ("BinderException", "NotImplementedException", "InternalException", "ParserException", "CatalogException")
"""Errors of DuckDB that say nothing about the data."""


__all__ = ["DuckDB", "Ours", "Outcome", "Run", "compare", "main"]


class Run:
    """Compares two engines, set of tables by set of tables."""

    def __init__(self, ours: Ours, theirs: Engine, against: str, minimise_seconds: float = 60) -> None:
        self.ours, self.theirs, self.against = ours, theirs, against
        self.counts: Counter[str] = Counter()
        self.scripts: list[str] = []
        self._seconds = minimise_seconds
        self._seen: set[str] = set()

    def summary(self) -> str:
        """Returns how many queries ended how."""
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
            except Exception:  # a table that cannot be written is no smaller example
                return False
            return self._difference(candidate) == found

        smallest, left = minimised(query, tables, is_different, self._seconds)
        self.scripts.append(script_of(smallest, left, self.against, f"{where}: {found}"))
        print(self.scripts[-1], flush=True)


def compare(
    against: str,
    seed: int,
    *,
    seconds: float,
    queries: int = sys.maxsize,
    sets: int = sys.maxsize,
    external: Any = None,
    progress: bool = False,
) -> Run:
    """Compares until the time is over, or as many queries or sets of tables as are wanted; ``progress`` is printed every minute."""
    ours = Ours("arrow")
    session = _session() if against == "spark" and external is None else None
    theirs: Ours | DuckDB
    if against == "duckdb":
        theirs = DuckDB()
    elif against == "streaming":
        theirs = Ours("arrow", streaming=True)
    else:
        theirs = Ours("spark", external or {"spark": session})
    run = Run(ours, theirs, against)
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
    """Lets Spark make code for each query, which takes most of its time for a few rows, or interpret it; it has both for what it computes."""
    session.conf.set("spark.sql.codegen.wholeStage", str(wanted).lower())
    session.conf.set("spark.sql.codegen.factoryMode", "FALLBACK" if wanted else "NO_CODEGEN")


def main() -> int:
    """Runs the program; 1 if there are differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", choices=("duckdb", "spark", "streaming"), default="duckdb")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--queries", type=int, default=sys.maxsize)
    parser.add_argument("--sets", type=int, default=sys.maxsize, help="sets of tables")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    run = compare(
        arguments.against, arguments.seed, seconds=arguments.seconds, queries=arguments.queries, sets=arguments.sets, progress=True
    )
    print(run.summary())
    return 1 if run.counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
