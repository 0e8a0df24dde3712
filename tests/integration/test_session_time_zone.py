"""Both engines interpret the environment variable TZ in the same way."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import sys
from table_api import EnvironmentSettings, TableEnvironment

for planner in ("arrow", "spark"):
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build()
    with TableEnvironment.create(settings) as env:
        with env.execute_sql("SELECT CAST(TO_TIMESTAMP_LTZ(0, 0) AS STRING), CAST(TO_TIMESTAMP_LTZ(1593604800, 0) AS STRING)").collect() as rows:
            print(env.get_config().get_local_timezone(), *rows)
"""


def test_both_engines_follow_the_variable() -> None:
    environment = {**os.environ, "TZ": "CET"}
    finished = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300, env=environment, check=False)
    row = "<Row('1970-01-01 01:00:00.000', '2020-07-01 14:00:00.000')>"
    assert finished.stdout.splitlines() == [f"CET {row}"] * 2, finished.stderr
