"""In streaming mode the embedded engine runs rows without changelogs only if no node keeps state: all cases, own and public, in streaming mode; every fourth one by day."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from corpus import HERE, corpus_folder, load_adapter

from table_api.operations import STATELESS_OPERATIONS, ModifyOperation, QueryOperation, SourceQueryOperation, ValuesQueryOperation
from table_api.plan import optimizer
from table_common.tree import preorder
from table_testing.rounds import NIGHT

WITHOUT_STATE = (*STATELESS_OPERATIONS, SourceQueryOperation, ValuesQueryOperation)
REFUSED = "does not run"


def cases() -> Iterator[tuple[dict[str, Any], Path]]:
    folders = [(HERE / "cases" / "streaming", HERE / "data")]
    public = corpus_folder()
    if public is not None:
        folders.append((public / "cases", public / "data"))
    for folder, data in folders:
        for file in sorted(folder.glob("*.jsonl")):
            for case in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
                if case["mode"] == "streaming":
                    yield case, data


@pytest.mark.filterwarnings("ignore")
def test_no_case_runs_a_plan_with_state_on_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wrong: list[str] = []
    optimize = optimizer.optimize

    def checked(operations: Sequence[ModifyOperation], session: Any, *options: Any) -> list[ModifyOperation]:
        optimized = optimize(operations, session, *options)
        if session.is_streaming_mode:
            nodes = [node for operation in optimized for node in preorder(operation.child, QueryOperation)]
            wrong.extend(type(node).__name__ for node in nodes if not isinstance(node, WITHOUT_STATE))
        return optimized

    monkeypatch.setattr(optimizer, "optimize", checked)
    adapter = load_adapter("arrow")
    found: dict[str, list[str]] = {}
    count = 0
    for number, (case, data) in enumerate(cases()):
        count += 1
        if number % 4 and not NIGHT:
            continue
        wrong.clear()
        error = run(case, data, adapter, tmp_path / "case")
        if wrong or REFUSED in error:
            found[case["id"]] = [*wrong, error]
    assert count > 600
    assert found == {}


def run(case: dict[str, Any], data: Path, adapter: Any, scratch: Path) -> str:
    """Runs a case; returns its error, or an empty text."""
    scratch.mkdir()
    env = adapter.make_env("streaming")
    try:
        for statement in (*case["setup"], case["sql"]):
            env.run(statement.replace("${DATA}", str(data)).replace("${TMP}", str(scratch)))
    except Exception as error:  # the other tests judge the results
        return str(error)
    finally:
        env.close()
        shutil.rmtree(scratch)
    return ""
