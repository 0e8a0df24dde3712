"""What jobs need on any engine starts no thread and no process: a driver decides on which threads its steps run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository

PACKAGE = "table-runtime/src/table_runtime/streaming/job"
STARTS = {"Thread", "Timer", "ThreadPoolExecutor", "ProcessPoolExecutor", "Process", "Popen"}


def test_only_the_driver_in_this_process_starts_threads(repository: Repository) -> None:
    modules = sorted((repository.root / "packages" / PACKAGE).glob("*.py"))
    assert len(modules) > 10
    started = [
        f"{path.name}:{node.lineno} {name}"
        for path in modules
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        if (name := getattr(node.func, "attr", getattr(node.func, "id", ""))) in STARTS
    ]
    assert not started, started
