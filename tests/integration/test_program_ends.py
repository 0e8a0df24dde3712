"""Programs in separate processes that end while their inserts run: the written rows, standard error, and the exit code."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PRELUDE = """
import sys
from table_api import EnvironmentSettings, TableEnvironment

planner, out = sys.argv[1:]

FOREVER = 10**9

def new_env(rows=200_000, *, name="t"):
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build())
    env.execute_sql(f"CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '{rows}', "
                    f"'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '{rows}')")
    env.execute_sql(f"CREATE TABLE {name} (n BIGINT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{out}/{name}')")
    return env

INSERT = "INSERT INTO t SELECT n FROM numbers"
FAILS = "INSERT INTO t SELECT 1 / (n - 10) FROM numbers"
"""


@dataclass(frozen=True)
class Ended:
    """The outcome of a program."""

    exit_code: int
    output: str
    errors: str
    folder: Path

    def rows(self, table: str = "t") -> list[int]:
        """Returns the written rows, sorted."""
        files = [file for file in (self.folder / table).rglob("*") if file.is_file() and not file.name.startswith((".", "_"))]
        return sorted(int(line) for file in files for line in file.read_text().split())


def run(program: str, folder: Path, planner: str = "arrow", *, interrupt_at: str | None = None) -> Ended:
    """Runs a program after the prelude; sends Ctrl-C when standard error contains the text."""
    command = [sys.executable, "-c", PRELUDE + program, planner, str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seen = ""
    if interrupt_at is not None:
        assert process.stderr is not None
        for line in process.stderr:
            seen += line
            if interrupt_at in line:
                process.send_signal(signal.SIGINT)
                break
    output, errors = process.communicate(timeout=300)
    return Ended(process.returncode, output, seen + errors, folder)


@pytest.mark.parametrize("count", [200_000, 5_000_000])
def test_the_end_of_the_program_waits_for_an_insert(tmp_path: Path, count: int) -> None:
    ended = run(f"env = new_env({count}); env.execute_sql(INSERT)", tmp_path)
    assert ended.exit_code == 0, ended.errors
    assert len(ended.rows()) == count


def test_a_short_wait_prints_nothing(tmp_path: Path) -> None:
    ended = run("env = new_env(10); env.execute_sql(INSERT)", tmp_path)
    assert (ended.exit_code, ended.errors, len(ended.rows())) == (0, "", 10)


def test_the_end_of_the_program_waits_for_an_atomic_create_table_as(tmp_path: Path) -> None:
    program = """
env = new_env()
env.get_config().set("table.rtas-ctas.atomicity-enabled", "true")
env.execute_sql(f"CREATE TABLE made WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{out}/made') AS SELECT n FROM numbers")
"""
    ended = run(program, tmp_path)
    assert ended.exit_code == 0, ended.errors
    assert len(ended.rows("made")) == 200_000


def test_the_end_of_the_program_waits_for_all_environments(tmp_path: Path) -> None:
    program = """
for name in ("first_one", "two"):
    new_env(name=name).execute_sql(f"INSERT INTO {name} SELECT n FROM numbers")
"""
    ended = run(program, tmp_path)
    assert ended.exit_code == 0, ended.errors
    assert len(ended.rows("first_one")) == len(ended.rows("two")) == 200_000


def test_the_end_of_the_program_waits_for_inserts_that_its_threads_start_later(tmp_path: Path) -> None:
    program = """
import threading
env, main = new_env(), threading.main_thread()
def work():
    threading.Event().wait(0.3)  # the main thread has ended by then
    env.execute_sql(INSERT)
threading.Thread(target=work).start()
"""
    ended = run(program, tmp_path)
    assert ended.exit_code == 0, ended.errors
    assert len(ended.rows()) == 200_000


def test_a_failed_insert_of_a_thread_that_outlives_the_program_makes_the_exit_code_1(tmp_path: Path) -> None:
    program = """
import threading
env = new_env()
def work():
    threading.Event().wait(0.3)
    env.execute_sql(FAILS)
threading.Thread(target=work).start()
"""
    ended = run(program, tmp_path)
    assert ended.exit_code == 1
    assert "insert-into_default_catalog.default_database.t failed" in ended.errors


@pytest.mark.parametrize("call", ["env.execute_sql(FAILS)", "result = env.execute_sql(FAILS)"])
def test_an_unseen_failure_is_reported_and_makes_the_exit_code_1(tmp_path: Path, call: str) -> None:
    ended = run(f"env = new_env(); {call}; print('done')", tmp_path)
    assert (ended.exit_code, ended.output) == (1, "done\n")
    assert ended.errors.count("insert-into_default_catalog.default_database.t failed") == 1
    assert "Division by zero" in ended.errors
    assert "Traceback" not in ended.errors
    assert ended.rows() == []


def test_a_seen_failure_does_not_change_the_exit_code(tmp_path: Path) -> None:
    program = """
env = new_env()
try:
    env.execute_sql(FAILS).wait()
except Exception:
    print("seen")
"""
    ended = run(program, tmp_path)
    assert (ended.exit_code, ended.output, ended.errors) == (0, "seen\n", "")


def test_exit_handlers_run_and_open_files_are_flushed_if_a_failure_makes_the_exit_code_1(tmp_path: Path) -> None:
    program = """
import atexit
atexit.register(print, "before")
env = new_env()
env.execute_sql(FAILS)
atexit.register(print, "after")
file = open(f"{out}/left_open", "w")
file.write("text")
"""
    ended = run(program, tmp_path)
    assert (ended.exit_code, ended.output) == (1, "after\nbefore\n")
    assert (tmp_path / "left_open").read_text() == "text"


def test_an_uncaught_exception_cancels_inserts_and_reports_them(tmp_path: Path) -> None:
    ended = run("env = new_env(FOREVER); env.execute_sql(INSERT); raise ValueError('mine')", tmp_path)
    assert ended.exit_code == 1
    assert "ValueError: mine" in ended.errors
    assert "Cancelled because the program ended with ValueError: insert-into_default_catalog.default_database.t (job " in ended.errors
    assert ended.rows() == []


def test_sys_exit_waits_and_keeps_its_code(tmp_path: Path) -> None:
    ended = run("env = new_env(); env.execute_sql(INSERT); sys.exit(3)", tmp_path)
    assert ended.exit_code == 3, ended.errors
    assert len(ended.rows()) == 200_000


def test_ctrl_c_ends_the_wait_at_the_end_of_the_program(tmp_path: Path) -> None:
    ended = run("env = new_env(FOREVER); env.execute_sql(INSERT)", tmp_path, interrupt_at="Waiting for 1 job")
    assert ended.exit_code == 130
    assert "(Ctrl-C cancels): insert-into_default_catalog.default_database.t (2 s" in ended.errors
    assert "Cancelled by Ctrl-C: insert-into_default_catalog.default_database.t (job " in ended.errors
    assert "Traceback" not in ended.errors
    assert ended.rows() == []


def test_ctrl_c_in_the_program_cancels_inserts(tmp_path: Path) -> None:
    program = """
import time
env = new_env(FOREVER)
env.execute_sql(INSERT)
print("started", file=sys.stderr, flush=True)
time.sleep(100)
"""
    ended = run(program, tmp_path, interrupt_at="started")
    assert ended.exit_code == -signal.SIGINT
    assert "Cancelled because the program ended with KeyboardInterrupt: insert-into_" in ended.errors
    assert ended.rows() == []


def test_ctrl_c_ends_the_program_by_the_signal_if_code_is_run_from_text_afterwards(tmp_path: Path) -> None:
    program = """
import threading
import time
env = new_env(FOREVER)
env.execute_sql(INSERT)
threading._register_atexit(exec, "x = 1")
print("started", file=sys.stderr, flush=True)
time.sleep(100)
"""
    assert run(program, tmp_path, interrupt_at="started").exit_code == -signal.SIGINT


def test_a_forked_child_does_not_wait_for_its_parents_inserts(tmp_path: Path) -> None:
    program = """
import os
env = new_env(FOREVER)
env.execute_sql(INSERT)
if os.fork() == 0:
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.wait()[1]))
env.close()
"""
    ended = run(program, tmp_path)
    assert (ended.exit_code, ended.output) == (0, "7\n"), ended.errors
    assert "Cancelled because the environment was closed: insert-into_" in ended.errors


def test_a_prompt_reports_a_failure_at_once_and_keeps_its_exit_code(tmp_path: Path) -> None:
    program = """
sys.ps1 = "> "
env = new_env()
result = env.execute_sql(FAILS)
result._job.join()
"""
    ended = run(program, tmp_path)
    assert ended.exit_code == 0
    assert ended.errors.count("insert-into_default_catalog.default_database.t failed") == 1


def test_on_spark_the_end_of_the_program_waits_and_reports_failures(tmp_path: Path) -> None:
    program = """
env = new_env()
env.execute_sql(FAILS)
new_env(name="two").execute_sql("INSERT INTO two SELECT n FROM numbers")
"""
    ended = run(program, tmp_path, "spark")
    assert ended.exit_code == 1, ended.errors
    assert "insert-into_default_catalog.default_database.t failed" in ended.errors
    assert "Division by zero" in ended.errors
    assert "\tat " not in ended.errors
    assert (len(ended.rows()), len(ended.rows("two"))) == (0, 200_000)


@pytest.mark.night
def test_on_spark_ctrl_c_ends_the_wait_at_the_end_of_the_program(tmp_path: Path) -> None:
    ended = run("env = new_env(FOREVER); env.execute_sql(INSERT)", tmp_path, "spark", interrupt_at="Waiting for 1 job")
    assert ended.exit_code == 130, ended.errors
    assert "Cancelled by Ctrl-C: insert-into_default_catalog.default_database.t (job " in ended.errors
    assert "\tat " not in ended.errors
    assert ended.rows() == []
