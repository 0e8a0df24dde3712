"""Files that cannot be written to the end, as on a full disk: an error, and nothing of them stays."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

FORMATS = ["csv", "csv GZIP", "csv BZIP2", "csv XZ", "csv ZSTD", "csv DEFLATE", "json", "json GZIP", "parquet", "orc", "avro", "raw"]
SCRIPT = """
import gc, json, os, resource, signal, sys
from pathlib import Path

import pyarrow as pa

from table_common.connector import FileSinkProvider
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, VarCharType
from table_runtime.run.execution import ExecutionContext
from table_runtime.sinks.file_sink import FileSink
from table_runtime.batch.values import Values

root, formats = Path(sys.argv[1]), sys.argv[2:]
gc.disable()
# A write beyond this size fails, as on a full disk.
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
failures = []
for format_ in formats:
    for keys in ((), ("p",)):
        folder = root / format_ / str(len(keys))
        folder.mkdir(parents=True)
        columns = {"text": pa.array([os.urandom(200).hex() for _ in range(2000)], pa.string())}
        columns.update((key, pa.array(["a"] * 2000, pa.string())) for key in keys)
        batch = pa.record_batch(columns)
        row_type = RowType.of([(name, VarCharType()) for name in columns], nullable=False)
        name, _, compression = format_.partition(" ")
        options = {"compression": compression} if compression else {}
        provider = FileSinkProvider(f"{folder}/t", name, row_type, options, keys)
        error = None
        context = ExecutionContext(parallelism=1)
        try:
            list(FileSink(Values(batch.schema, lambda: [batch], batch.num_rows), provider, "t").batches(context))
        except TableRuntimeException as failure:
            error = str(failure)
            failures.append(failure)  # with its frames, and all that they know
        context.close()
        opened = [os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
        opened = [file for file in opened if file.startswith(str(folder))]
        left = [str(path) for path in folder.rglob("*") if path.is_file() and path.stat().st_size]
        print(json.dumps([format_, len(keys), error, opened, left]), flush=True)
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], tuple[str | None, list[str], list[str]]]:
    """What a process reports in which every file ends at 100 kB: by format and number of keys the error, open files, and files left."""
    folder = tmp_path_factory.mktemp("disk")
    run = subprocess.run([sys.executable, "-c", SCRIPT, str(folder), *FORMATS], capture_output=True, text=True, timeout=300, check=False)
    found = [json.loads(line) for line in run.stdout.splitlines()]
    return {(format_, keys): (error, opened, left) for format_, keys, error, opened, left in found}


@pytest.mark.parametrize("keys", [0, 1])
@pytest.mark.parametrize("format_", FORMATS)
def test_a_write_that_fails_is_an_error(outcomes: dict[tuple[str, int], tuple[str, list[str], list[str]]], format_: str, keys: int) -> None:
    assert "File too large" in outcomes[format_, keys][0]


@pytest.mark.parametrize("keys", [0, 1])
@pytest.mark.parametrize("format_", FORMATS)
def test_a_write_that_fails_keeps_no_space(
    outcomes: dict[tuple[str, int], tuple[str, list[str], list[str]]], format_: str, keys: int
) -> None:
    assert outcomes[format_, keys][1:] == ([], [])
