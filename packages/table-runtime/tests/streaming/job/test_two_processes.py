"""Two processes with one job: one of them writes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from table_testing.line_log import append_lines

Eventually = Callable[[Callable[[], bool]], None]
PROGRAM = """
import sys
from pathlib import Path
from table_api import EnvironmentSettings, TableEnvironment
from table_testing.line_log import LineLog, LineLogSource
from table_runtime.streaming.checkpoints import job_lock
from table_runtime.connectors.values import ValuesTableFactory

folder = Path(sys.argv[1])
job_lock.HEARTBEAT_SECONDS, job_lock.STALE_SECONDS = 0.1, 1.0
ValuesTableFactory.create_dynamic_table_source = lambda self, context: LineLogSource(
    LineLog(str(folder / "t"), context.catalog_table.resolved_schema.to_physical_row_type())
)
env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
env.get_config().set("execution.checkpointing.dir", str(folder / "checkpoints")).set("pipeline.name", "copy")
env.get_config().set("execution.checkpointing.interval", "20 ms")
env.execute_sql("CREATE TABLE t (k INT) WITH ('connector' = 'values', 'data-id' = 't')")
env.execute_sql(f"CREATE TABLE o (k INT) WITH ('connector' = 'filesystem', 'path' = '{folder / 'o'}', 'format' = 'csv')")
print("ready", flush=True)
env.execute_sql("INSERT INTO o SELECT k FROM t").wait()
"""


def start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def lines(folder: Path) -> list[int]:
    return sorted(int(line) for path in (folder / "o").glob("[!.]*.csv") for line in path.read_text().splitlines())


def test_the_second_process_fails_and_one_that_was_stopped_is_fenced_off(tmp_path: Path, eventually: Eventually) -> None:
    append_lines(tmp_path / "t", "0", [[0]])
    processes = [start(tmp_path)]
    try:
        eventually(lambda: lines(tmp_path) == [0])
        processes.append(start(tmp_path))
        assert processes[1].stdout is not None
        processes[1].stdout.readline()
        _, errors = processes[1].communicate(timeout=20)
        assert f"is run by the process {processes[0].pid} on" in errors

        os.kill(processes[0].pid, signal.SIGSTOP)
        processes.append(start(tmp_path))
        append_lines(tmp_path / "t", "0", [[1]])
        eventually(lambda: lines(tmp_path) == [0, 1])
        os.kill(processes[0].pid, signal.SIGCONT)
        append_lines(tmp_path / "t", "0", [[2]])
        eventually(lambda: lines(tmp_path) == [0, 1, 2])
        _, errors = processes[0].communicate(timeout=20)
        assert f"is run by the process {processes[2].pid}" in errors or "Another process has ended the epoch" in errors
        append_lines(tmp_path / "t", "0", [[3]])
        eventually(lambda: lines(tmp_path) == [0, 1, 2, 3])
        assert processes[2].poll() is None
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
