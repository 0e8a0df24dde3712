"""Jobs over watched folders, for tests of workers."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from table_api import TableEnvironment

__all__ = ["Job", "end", "eventually", "is_alive", "written"]

SECONDS = 60.0
INSERT = "INSERT INTO o SELECT a.k, a.n, b.v FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) AS a JOIN u AS b ON a.k = b.k"


def written(folder: Path) -> list[dict[str, Any]]:
    """Returns the rows in the JSON files of a table."""
    files = sorted(path for path in folder.glob("*") if not path.name.startswith((".", "_")))
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


class Job:
    """A job over watched folders whose sink has the number of rows of each key."""

    def __init__(self, env: TableEnvironment, folder: Path) -> None:
        self.env = env
        self.folder = folder
        self._files = len(list((folder / "t").glob("*"))) if (folder / "t").exists() else 0
        (folder / "t").mkdir(exist_ok=True)
        (folder / "u").mkdir(exist_ok=True)
        (folder / "u" / "u.json").write_text("\n".join(json.dumps({"k": k, "v": 10 * k}) for k in range(20)))
        config = env.get_config()
        config.set("execution.checkpointing.interval", "100 ms").set("execution.checkpointing.dir", str(folder / "checkpoints"))
        config.set("pipeline.name", "job").set("restart-strategy.type", "fixed-delay").set("restart-strategy.fixed-delay.delay", "10 ms")
        config.set("restart-strategy.fixed-delay.attempts", "10").set("table.exec.sink.upsert-materialize", "NONE")
        watched = f"'connector' = 'filesystem', 'format' = 'json', 'path' = '{folder / 't'}', 'source.monitor-interval' = '20 ms'"
        env.execute_sql(f"CREATE TABLE t (k INT) WITH ({watched})")
        env.execute_sql(f"CREATE TABLE u (k INT, v INT) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{folder / 'u'}')")
        sink = f"'connector' = 'filesystem', 'format' = 'debezium-json', 'path' = '{folder / 'o'}'"
        env.execute_sql(f"CREATE TABLE o (k INT, n BIGINT, v INT) WITH ({sink})")

    def add(self, keys: list[int]) -> None:
        """Adds a file of rows."""
        hidden = self.folder / "t" / f".{self._files}"
        hidden.write_text("".join(json.dumps({"k": key}) + "\n" for key in keys))
        hidden.rename(self.folder / "t" / f"{self._files}.json")
        self._files += 1

    def start(self) -> Any:
        """Starts the INSERT; returns its client."""
        return self.env.execute_sql(INSERT).get_job_client()

    def table(self) -> Counter[tuple[int, int, int]]:
        """Returns the rows of the sink."""
        count: Counter[tuple[int, int, int]] = Counter()
        for change in written(self.folder / "o"):
            for side, sign in (("before", -1), ("after", 1)):
                if (row := change.get(side)) is not None:
                    count[row["k"], row["n"], row["v"]] += sign
        return Counter({row: number for row, number in count.items() if number})

    def await_table(self, client: Any, keys: Counter[int]) -> None:
        """Waits until the sink has the counts of these keys."""
        expected = Counter({(key, number, 10 * key): 1 for key, number in keys.items()})
        deadline = time.monotonic() + SECONDS
        while (found := self.table()) != expected:
            assert not client.get_job_status().is_terminal_state(), client.get_job_execution_result().result()
            assert time.monotonic() < deadline, found
            time.sleep(0.02)


def end(client: Any) -> None:
    """Ends a job with its last epoch."""
    client.end()
    client.get_job_execution_result().result()


def is_alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def eventually(check: Callable[[], bool]) -> None:
    """Waits until something is true."""
    deadline = time.monotonic() + SECONDS
    while not check():
        assert time.monotonic() < deadline
        time.sleep(0.02)
