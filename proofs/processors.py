"""The processor time of this process and of Spark's JVM, and the tasks that run there."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

__all__ = ["processor_seconds", "running_tasks", "task_seconds"]


def processor_seconds(*, with_compilers: bool = True) -> float:
    """Returns the processor time of this process and of Spark's JVM, if one runs, in seconds.

    Without its compilers, whose threads run beside the others, the time is that of a statement planned on an idle machine.
    """
    seconds = time.process_time()
    jvm = _jvm()
    if jvm is not None:
        seconds += _seconds_in(jvm)
        if not with_compilers:
            seconds -= sum(_seconds_in(thread, named="Compiler") for thread in (jvm / "task").iterdir())
    return seconds


def running_tasks() -> int:
    """Returns the number of the JVM's threads that run a task of Spark, also of a cancelled job. Spark renames them afterwards."""
    jvm = _jvm()
    return 0 if jvm is None else sum(_name_of(thread) == "Executor task l" for thread in (jvm / "task").iterdir())


def task_seconds() -> float:
    """Returns the processor time of the JVM's threads that run tasks of Spark, or have run some and wait for others, in seconds."""
    jvm = _jvm()
    return 0.0 if jvm is None else sum(_seconds_in(thread, named="(Executor task ") for thread in (jvm / "task").iterdir())


def _jvm() -> Path | None:
    context = sys.modules.get("pyspark.core.context")
    gateway = None if context is None else context.SparkContext._gateway
    return None if gateway is None else Path(f"/proc/{gateway.proc.pid}")


def _name_of(thread: Path) -> str:
    """Returns the name of a thread, at most 15 characters."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return (thread / "comm").read_text(encoding="ascii", errors="replace").strip()
    return ""


def _seconds_in(process: Path, named: str = "") -> float:
    """Returns the processor time of a process or thread; 0 if it has ended or its name does not contain ``named``."""
    with suppress(FileNotFoundError, ProcessLookupError):
        name, _, fields = (process / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")
        if named in name:
            user, system = fields.split()[11:13]
            return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return 0.0
