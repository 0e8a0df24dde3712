"""ORC files that a process of its own reads: its memory, its errors, and its end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from table_common.configuration import memory_budget
from table_common.exceptions import TableRuntimeException, ValidationException
from table_runtime.formats.orc import process as orc_process
from table_runtime.formats.orc.process import LEAST_MEMORY, MEMORY_PER_BYTE

COLUMNS = {"id": "INT", "s": "STRING", "r": "ROW<a INT, l ARRAY<STRING>>"}
ROWS = [(number, f"text {number}", {"a": number, "l": ["x", None]}) for number in range(100)]


@pytest.fixture(params=["NONE", "ZLIB"])
def data(files: Any, request: pytest.FixtureRequest) -> bytes:
    files.write_bytes("orc", COLUMNS, ROWS, compress=request.param)
    content: bytes = files.path.read_bytes()
    return content


def test_the_memory_of_the_process_follows_the_size_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "f.orc"
    file.write_bytes(bytes(1_000))
    program = (
        "import resource; from pathlib import Path; from table_runtime.formats.orc.process import _limit_memory; "
        f"_limit_memory(Path({str(file)!r})); print(resource.getrlimit(resource.RLIMIT_DATA)[0])"
    )
    limit = int(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout)
    assert limit == min(memory_budget(), LEAST_MEMORY + 1_000 * MEMORY_PER_BYTE)


def test_a_file_is_read_in_a_process_of_its_own(files: Any, data: bytes) -> None:
    assert files.read("orc", COLUMNS, read_in_process="true") == ROWS
    assert files.read("orc", COLUMNS, None, ["s"], read_in_process="true") == [(row[1],) for row in ROWS]
    assert files.read("orc", {**COLUMNS, "more": "INT"}, None, ["more", "id"], nulls=True, read_in_process="true") == [
        (None, row[0]) for row in ROWS
    ]


def test_a_missing_column_is_named_by_the_other_process_too(files: Any, data: bytes) -> None:
    with pytest.raises(ValidationException, match=r"Column 'idd' does not exist in the ORC file .* Did you mean 'id'"):
        files.read("orc", {"idd": "INT"}, read_in_process="true")


def test_a_crash_of_the_other_process_is_an_error_that_names_the_file(files: Any, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orc_process, "_PROGRAM", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    with pytest.raises(TableRuntimeException, match=f"The ORC file '{files.path}' is damaged: the process .* signal SIGSEGV"):
        files.read("orc", COLUMNS, read_in_process="true")


def test_an_error_of_the_other_process_is_passed_on(files: Any) -> None:
    files.path.write_text("no ORC file at all")
    with pytest.raises(TableRuntimeException, match=f"The ORC file '{files.path}' cannot be read: .*"):
        files.read("orc", COLUMNS, read_in_process="true")


def test_a_file_with_lengths_that_are_not_plausible_is_read_in_a_process(files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write_bytes("orc", {"s": "STRING"}, [(f"text {number}",) for number in range(100)])
    monkeypatch.setattr("table_runtime.formats.orc.layout._PLAUSIBLE_SIZE", 0)
    monkeypatch.setattr("table_runtime.formats.orc.layout._PLAUSIBLE_FACTOR", 0)
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **options: started.append(args) or popen(*args, **options))
    assert len(files.read("orc", {"s": "STRING"})) == 100
    assert len(started) == 1
