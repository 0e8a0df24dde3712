"""A job that is killed while it asks a model: the next one asks again only for the rows of the epoch that was not committed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from fake_models import Endpoint, endpoint
from waiting import eventually

FILES, ROWS = 30, 10
PROGRAM = """
import sys
from table_api import EnvironmentSettings, TableEnvironment

folder, url = sys.argv[1:]
env = TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
env.get_config().set("execution.checkpointing.dir", f"file://{folder}/checkpoints").set("execution.checkpointing.interval", "200 ms")
env.get_config().set("pipeline.name", "asks")
files = "'connector' = 'filesystem', 'format' = 'json'"
env.execute_sql(f"CREATE TABLE texts (text STRING) WITH ({files}, 'path' = '{folder}/in', 'source.monitor-interval' = '100 ms')")
env.execute_sql(f"CREATE TABLE answers (text STRING, answer STRING) WITH ({files}, 'path' = '{folder}/out')")
env.execute_sql(f\"\"\"CREATE TEMPORARY MODEL m INPUT (text STRING) OUTPUT (answer STRING)
    WITH ('provider' = 'openai', 'endpoint' = '{url}/chat/completions', 'model' = 'm')\"\"\")
env.execute_sql("INSERT INTO answers SELECT text, answer FROM ML_PREDICT(TABLE texts, MODEL m, DESCRIPTOR(text))").wait()
"""


def committed(folder: Path) -> list[str]:
    files = [file for file in (folder / "out").glob("*") if file.is_file() and not file.name.startswith((".", "_"))]
    return [json.loads(line)["text"] for file in files for line in file.read_text().splitlines()]


def start(folder: Path, served: Endpoint) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder), served.url], stderr=(folder / "log").open("ab"))


def asked(served: Endpoint) -> Counter[str]:
    with served.lock:
        return Counter(request["messages"][-1]["content"] for request in served.requests)


def test_rows_that_were_committed_are_not_sent_again(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    texts = [f"text {file} {row}" for file in range(FILES) for row in range(ROWS)]
    for file in range(FILES):
        lines = [json.dumps({"text": text}) for text in texts[file * ROWS : (file + 1) * ROWS]]
        (tmp_path / "in" / f"{file:03}.json").write_text("\n".join(lines) + "\n")
    with endpoint() as served:
        served.seconds = 0.05
        job = start(tmp_path, served)
        try:
            eventually(lambda: len(committed(tmp_path)) > 0 and len(asked(served)) > 100, seconds=60)
        finally:
            job.send_signal(signal.SIGKILL)
            job.wait()
        before, sent = set(committed(tmp_path)), asked(served)
        assert len(before) < len(texts)
        job = start(tmp_path, served)
        try:
            eventually(lambda: len(committed(tmp_path)) >= len(texts), seconds=60)
        finally:
            job.send_signal(signal.SIGKILL)
            job.wait()
        again = asked(served)
    assert sorted(committed(tmp_path)) == sorted(texts)
    assert {text for text, count in again.items() if count > 1} == set(sent) - before
    assert max(again.values()) <= 2
