"""Limits for sizes and depths: each statement ends in a result or in one of our errors, within limits for time and memory.

    python proofs/limits.py [--engine arrow|spark] [--short] [--only NAME ...]

Every case runs in a child process, so that a crash, a hang or excessive memory usage is detected. ``--short`` is the form
that the test command runs: the same statements, but smaller where the size determines the time. The exit status is 1 if a case failed.

A time limit applies to the processor time of the child and of Spark's JVM without its compilers, which does not depend on the load of the
machine, or to the wall-clock time if that is less (several threads). ``--hang`` sets when a case is aborted.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import select
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from processors import processor_seconds

MEMORY = 6 << 30
"""The address space limit of the embedded engine, in bytes."""
GRACE = 30
"""Seconds after its time limit at which an unfinished case is killed and counts as a hang."""
START = 300
"""Maximum start-up time of a child, in seconds."""


@dataclass(frozen=True)
class Outcome:
    """How a case ended: ``result``, ``error`` (one of ours), ``raw``, ``hang`` or ``crash``."""

    how: str
    seconds: float
    what: str


def load_cases() -> dict[str, Any]:
    """Returns the cases by name."""
    import limit_memory  # noqa: F401  # they register their cases
    import limit_planning  # noqa: F401
    import limit_shapes  # noqa: F401
    import limit_sizes  # noqa: F401
    from limit_case import CASES

    return CASES


def run_child(engine: str) -> None:
    """Reads names of cases from standard input, runs the cases, and prints their outcomes."""
    cases = load_cases()

    from table_api import EnvironmentSettings, TableEnvironment
    from table_common.exceptions import TableError, TableInternalError

    if engine == "arrow":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    environment: Any = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(engine).build())
    environment.execute_sql("SELECT 1 + COUNT(*) FROM (VALUES 1) GROUP BY 1").collect().close()
    out.write("ready\n")
    out.flush()
    for line in sys.stdin:
        name, is_short = json.loads(line)
        case = cases[name]
        start = _times()
        try:
            run = case.prepare(environment, is_short)
            start = _times()
            run()
            how, what = "result", ""
        except TableInternalError as error:
            how, what = "raw", f"{type(error).__name__}: {error}"
        except TableError as error:
            how, what = "error", str(error)
        except BaseException as error:
            how, what = "raw", f"{type(error).__name__}: {error}"
        if how == "error" and len(what) > 4_000:
            how, what = "raw", f"an error of {len(what):,} characters: {what}"
        seconds = min(end - begin for begin, end in zip(start, _times(), strict=True))
        out.write(json.dumps([how, seconds, what[:600]]) + "\n")
        out.flush()


def _times() -> list[float]:
    """Returns the clocks for the time limits, in seconds."""
    return [time.perf_counter(), processor_seconds(with_compilers=False)]


class Child:
    """A process that runs cases; it is replaced after a crash or a hang."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.process: subprocess.Popen[str] | None = None

    def run(self, name: str, is_short: bool, seconds: float) -> Outcome:
        """Runs a case, for at most this wall-clock time."""
        process = self.process or self._start()
        assert process.stdin is not None
        start = time.perf_counter()
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps([name, is_short]) + "\n")
            process.stdin.flush()
        line = self._line(seconds)
        took = time.perf_counter() - start
        if line:
            return Outcome(*json.loads(line))
        is_alive = process.poll() is None
        self.close()
        return Outcome("hang" if is_alive and took >= seconds else "crash", took, f"status {process.returncode}")

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, __file__, "--engine", self.engine, "--child"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, start_new_session=True
        )
        if not self._line(START):
            raise SystemExit(f"{self.engine}: the child did not start")
        return self.process

    def _line(self, seconds: float) -> str:
        assert self.process is not None
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        return self.process.stdout.readline() if ready else ""

    def close(self) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, 9)
            self.process.wait()
            self.process = None


def main() -> int:
    cases = load_cases()

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("arrow", "spark"), default="arrow")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", nargs="*", help="beginnings of names")
    parser.add_argument("--patience", type=float, default=1, help="factor for the time limits, for a busy machine")
    parser.add_argument(
        "--hang", type=float, default=GRACE, help="wall-clock seconds after its time limit at which a case counts as a hang"
    )
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        run_child(arguments.engine)
        return 0
    child = Child(arguments.engine)
    bad = 0
    try:
        for name, case in cases.items():
            if arguments.only and not any(name.startswith(one) for one in arguments.only):
                continue
            limit = case.seconds_on(arguments.engine) * arguments.patience
            outcome = child.run(name, arguments.short, limit + arguments.hang)
            is_bad = outcome.how not in case.ends or outcome.seconds > limit
            bad += is_bad
            mark = "BAD " if is_bad else "ok  "
            print(f"{mark} {name:42} {outcome.how:7} {outcome.seconds:7.2f} s (≤ {limit:g})  {outcome.what[:150]!r}", flush=True)
    finally:
        child.close()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
