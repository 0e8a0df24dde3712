"""Statements over many rows or with large values: they end in a result or in one of our errors, within 1.5 times the memory limit."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from limit_case import add

__all__: list[str] = []

ROWS = 5_000_000
SHORT_ROWS = 400_000
ALLOWED = 300 << 20
SHORT_ALLOWED = 200 << 20
"""Bytes that a statement may use in addition to the memory in use before it."""
MOST = 1.5
SECONDS = 0.005

STATEMENTS = {
    "group": "SELECT s, h, COUNT(*), MAX(s) FROM big GROUP BY s, h",
    "distinct": "SELECT DISTINCT s, h FROM big",
    "count_distinct": "SELECT COUNT(DISTINCT s), COUNT(DISTINCT h) FROM big",
    "rollup": "SELECT s, h, COUNT(*) FROM big GROUP BY ROLLUP (s, h)",
    "union": "SELECT s, h FROM big UNION SELECT s, h + 1 FROM big",
    "intersect": "SELECT s, h FROM big INTERSECT SELECT s, h FROM big",
    "except_all": "SELECT s, h FROM big EXCEPT ALL SELECT s, h + 1 FROM big",
    "join": "SELECT COUNT(*) FROM big AS a JOIN big AS b ON a.s = b.s",
    "sort": "SELECT COUNT(*) FROM (SELECT * FROM big ORDER BY h, s DESC OFFSET 1 ROWS)",
    "over": "SELECT COUNT(c) FROM (SELECT SUM(h) OVER (PARTITION BY s ORDER BY h) AS c FROM big)",
    "listagg": "SELECT COUNT(c) FROM (SELECT LISTAGG(s) AS c FROM big GROUP BY MOD(h, 1000))",
    "array_agg": "SELECT COUNT(c) FROM (SELECT ARRAY_AGG(s) AS c FROM big GROUP BY MOD(h, 1000))",
    "json_objectagg": "SELECT CHAR_LENGTH(JSON_OBJECTAGG(KEY s VALUE h)) FROM big",
    "lpad": "SELECT MAX(CHAR_LENGTH(LPAD(s, 1000000, 'x'))) FROM (SELECT s FROM big LIMIT 2000)",
    "lpad_kept": "SELECT COUNT(DISTINCT p) FROM (SELECT LPAD(s, 1000, 'x') AS p FROM big)",
    "constants": "SELECT " + ", ".join(f"REPEAT('x', {20_000_000 + i}) AS c{i}" for i in range(40)),
    "constants_in_condition": "SELECT s FROM big WHERE s IN (" + ", ".join(f"REPEAT('{letter}', 100000000)" for letter in "uvwxyz") + ")",
    "percentile": "SELECT COUNT(c) FROM (SELECT PERCENTILE(h, 0.5) AS c FROM big GROUP BY MOD(h, 1000))",
    "percentile_of_many_groups": "SELECT COUNT(c) FROM (SELECT PERCENTILE(h, 0.5) AS c FROM big GROUP BY MOD(h, 1000000))",
    "collect": "SELECT COUNT(c) FROM (SELECT COLLECT(s) AS c FROM big GROUP BY MOD(h, 1000))",
    "unnest_split": "SELECT COUNT(*) FROM (SELECT s FROM big LIMIT 20000) AS t, UNNEST(SPLIT(REPEAT(s || ',', 500), ','))",
}


def _in_use() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        _, resident, shared, *_ = map(int, file.read().split())
    return int((resident - shared) * os.sysconf("SC_PAGE_SIZE"))


def _memory(name: str, statement: str) -> None:
    def prepare(environment: Any, is_short: bool) -> Callable[[], object]:
        if environment.get_config().get("table.planner", "") == "spark":
            return lambda: None  # it uses the memory of the JVM
        import pyarrow as pa
        import pyarrow.compute as pc

        rows = SHORT_ROWS if is_short else ROWS
        numbers = pa.array(range(rows), pa.int64())
        texts = pc.binary_join_element_wise("text ", pc.cast(numbers, pa.string()), "")
        data = pa.table({"h": pc.multiply(numbers, 7919), "s": texts})
        environment.create_temporary_view("big", environment.from_arrow(data))
        allowed = _in_use() + (SHORT_ALLOWED if is_short else ALLOWED)
        environment.get_config().set("table.exec.memory", f"{allowed} bytes")

        def run() -> None:
            ended = threading.Event()
            peak = [0]

            def watch() -> None:
                while not ended.wait(SECONDS):
                    peak[0] = max(peak[0], _in_use())

            watcher = threading.Thread(target=watch, daemon=True)
            watcher.start()
            try:
                with environment.execute_sql(statement).collect() as result:
                    next(iter(result), None)
            finally:
                ended.set()
                watcher.join()
                environment.execute_sql("RESET 'table.exec.memory'")
                environment.drop_temporary_view("big")
                if peak[0] > MOST * allowed:
                    raise RuntimeError(f"{peak[0] >> 20} MB were in use, of {allowed >> 20} MB.")

        return run

    # One kernel allocates hundreds of megabytes for a constant, too much for the memory of the short form: the test command skips these cases.
    kind = "constant_memory" if name.startswith("constants") else "memory"
    add(f"{kind}_{name}", prepare, 60)


for _name, _statement in STATEMENTS.items():
    _memory(_name, _statement)
