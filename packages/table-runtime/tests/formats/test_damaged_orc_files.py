"""Damaged ORC files are errors that name the file, and never end the process."""

from __future__ import annotations

import random
from contextlib import suppress
from io import BytesIO
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException, ValidationException
from table_runtime.formats import orc_process
from table_runtime.formats.orc_layout import DamagedOrcError, check_layout

COLUMNS = {"id": "INT", "s": "STRING", "r": "ROW<a INT, l ARRAY<STRING>>"}
ROWS = [(number, f"text {number}", {"a": number, "l": ["x", None]}) for number in range(100)]


@pytest.fixture(params=["NONE", "ZLIB"])
def data(files: Any, request: pytest.FixtureRequest) -> bytes:
    files.write_bytes("orc", COLUMNS, ROWS, compress=request.param)
    content: bytes = files.path.read_bytes()
    return content


def test_a_whole_file_passes(data: bytes) -> None:
    check_layout(BytesIO(data))


def test_a_file_that_is_cut_is_refused(data: bytes) -> None:
    for length in (0, 3, 10, len(data) // 2, len(data) - 1):
        with pytest.raises(DamagedOrcError):
            check_layout(BytesIO(data[:length]))


def test_any_byte_of_the_footer_may_be_wrong(data: bytes) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    for _ in range(2000):
        changed = bytearray(data)
        for _ in range(random_.choice([1, 1, 3])):
            changed[-random_.randrange(1, 200)] = random_.randrange(256)
        with suppress(DamagedOrcError):
            check_layout(BytesIO(bytes(changed)))


def test_a_stripe_outside_of_the_file_is_refused(files: Any) -> None:
    files.write_bytes("orc", {"a": "INT"}, [(1,)], compress="NONE")
    content = files.path.read_bytes()
    with pytest.raises(DamagedOrcError, match="a stripe is outside of the file"):
        check_layout(BytesIO(content[:3] + content[20:]))


def test_the_error_names_the_file(files: Any, data: bytes) -> None:
    files.path.write_bytes(b"XXX" + data[3:])
    with pytest.raises(TableRuntimeException, match=f"The ORC file '{files.path}' cannot be read: it does not begin with 'ORC'"):
        files.read("orc", COLUMNS)


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
