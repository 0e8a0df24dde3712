"""Which modules travel to workers by name, and which by value."""

from __future__ import annotations

import importlib.util
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark import cloudpickle

from table_common.exceptions import TableException
from table_planner_spark.expressions.user_functions.shipping import dumps

SOURCE = """
import json

class Helper:
    def twice(self, x):
        return 2 * x

def compute(x):
    return json.loads(json.dumps(Helper().twice(x)))
"""


@pytest.fixture
def module(tmp_path: Path) -> Iterator[object]:
    """A user's module, which other processes cannot import."""
    file = tmp_path / "module_of_a_user.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("module_of_a_user", file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["module_of_a_user"] = made
    spec.loader.exec_module(made)
    yield made
    del sys.modules["module_of_a_user"]


def test_function_of_a_users_module_runs_where_the_module_is_not(module: object, tmp_path: Path) -> None:
    payload = tmp_path / "payload"
    payload.write_bytes(dumps(module.compute, "compute"))  # type: ignore[attr-defined]
    code = f"import pickle; from pathlib import Path; print(pickle.loads(Path({str(payload)!r}).read_bytes())(21))"
    finished = subprocess.run([sys.executable, "-c", code], cwd="/", capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "42"


def test_installed_packages_travel_by_name() -> None:
    assert len(dumps(pytest.fixture, "f")) < 200


def test_marks_are_undone(module: object) -> None:
    dumps(module.compute, "compute")  # type: ignore[attr-defined]
    assert "module_of_a_user" not in cloudpickle.list_registry_pickle_by_value()  # type: ignore[no-untyped-call]


def test_what_cannot_travel_is_an_error_with_a_hint() -> None:
    with pytest.raises(TableException, match="The function f cannot be sent") as error:
        dumps(threading.Lock(), "f")
    assert "open()" in (error.value.hint or "")


def test_payload_is_a_plain_pickle() -> None:
    assert pickle.loads(dumps((1, "a"), "f")) == (1, "a")


def test_a_module_with_two_names_can_travel(module: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "another_name_of_the_module", module)  # type: ignore[arg-type]  # it is a module
    assert dumps(module.compute, "compute")  # type: ignore[attr-defined]  # defined in the test
    assert "module_of_a_user" not in cloudpickle.list_registry_pickle_by_value()  # type: ignore[no-untyped-call]


def test_pyspark_from_an_archive_travels_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyspark.sql.types

    monkeypatch.setattr(pyspark.sql.types, "__file__", str(tmp_path / "pyspark.zip" / "pyspark" / "sql" / "types.py"))
    assert len(dumps(pyspark.sql.types.StructType, "types")) < 1_000
