"""A program of the Table API that runs on PyFlink and on the engines here: only its imports differ.

    python table_program.py ENGINE CASE FOLDER

Prints a line of JSON: the seconds from the first import to the result, those of the statement alone, and the result. ``ENGINE`` is ``pyflink``, ``arrow``
or ``spark``; ``FOLDER`` has the files of ``beside_pyflink.py``.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

EVENTS = "id BIGINT, k INT, v DOUBLE, name STRING, ts TIMESTAMP(3)"
QUERIES = {
    "first query": "SELECT 1",
    "CSV, GROUP BY": "SELECT k, COUNT(*), SUM(v), MAX(name) FROM csv GROUP BY k",
    "CSV, join and GROUP BY": "SELECT d.label, COUNT(*), AVG(e.v) FROM csv AS e JOIN dimension AS d ON e.k = d.k WHERE e.v > 10 GROUP BY d.label",
    "CSV, ten largest": "SELECT id, v FROM csv ORDER BY v DESC, id LIMIT 10",
    "Python function": "SELECT COUNT(*), SUM(add_one(id)) FROM csv",
    "JSON to CSV": "INSERT INTO sink SELECT id, UPPER(name), v * 2, ts FROM json WHERE k < 500",
    "streaming, window": "INSERT INTO counts SELECT k, window_start, COUNT(*), SUM(v) FROM TABLE(TUMBLE(TABLE csv, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) "
    "GROUP BY k, window_start, window_end",
    "streaming, GROUP BY": "INSERT INTO nothing SELECT k, COUNT(*), SUM(v) FROM csv GROUP BY k",
}


def main(engine: str, case: str, folder: Path) -> None:
    started = time.perf_counter()
    if engine == "pyflink":
        from pyflink.table import EnvironmentSettings, TableEnvironment
        from pyflink.table.udf import udf
    else:
        from table_api import EnvironmentSettings, TableEnvironment
        from table_api.udf import udf
    settings = EnvironmentSettings.new_instance()
    settings = settings.in_streaming_mode() if case.startswith("streaming") else settings.in_batch_mode()
    env: Any = TableEnvironment.create((settings if engine == "pyflink" else settings.with_planner(engine)).build())

    def table(name: str, columns: str, file: str, format_: str = "csv") -> None:
        env.execute_sql(
            f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'format' = '{format_}', 'path' = '{folder / file}')"
        )

    table("csv", f"{EVENTS}, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND", "events.csv")
    table("dimension", "k INT, label STRING", "dimension.csv")
    table("json", EVENTS, "events.json", "json")
    table("sink", "id BIGINT, name STRING, v DOUBLE, ts TIMESTAMP(3)", f"sink-{engine}")
    table("counts", "k INT, window_start TIMESTAMP(3), n BIGINT, v DOUBLE", f"counts-{engine}")
    env.execute_sql("CREATE TABLE nothing (k INT, n BIGINT, v DOUBLE) WITH ('connector' = 'blackhole')")
    env.create_temporary_function("add_one", udf(lambda number: number + 1, input_types=["BIGINT"], result_type="BIGINT"))
    asked = time.perf_counter()
    result = env.execute_sql(QUERIES[case])
    if QUERIES[case].startswith("INSERT"):
        result.wait()
        found = sum(1 for file in folder.glob(f"*-{engine}/**/*") if file.is_file() for _ in file.open())
    else:
        with result.collect() as rows:
            found = [[round(value, 3) if isinstance(value, float) else value for value in row] for row in rows]
    ended = time.perf_counter()
    print(json.dumps({"total": ended - started, "statement": ended - asked, "found": found}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
