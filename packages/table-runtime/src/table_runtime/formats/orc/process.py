"""Reads an ORC file in a separate process, so that a crash of Arrow's reader on a damaged file ends only that process.

The process writes two Arrow IPC streams to its standard output: the schema of the file, then the batches of the requested columns.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
from pyarrow import ipc

from table_common.configuration import memory_budget
from table_common.exceptions import TableRuntimeException

LEAST_MEMORY = 1 << 30
MEMORY_PER_BYTE = 64
"""The memory limit of the process: ``LEAST_MEMORY`` plus ``MEMORY_PER_BYTE`` per byte of the file."""
_PROGRAM = "import sys; sys.path[:] = {path!r}; from table_runtime.formats.orc.process import main; main()"


def read_in_process(path: Path, columns: Sequence[str], check: Callable[[pa.Schema], None]) -> Iterator[pa.RecordBatch]:
    """Yields the stripes of a local file with the ``columns`` that it has; ``check`` is first called with its schema.

    Raises:
        TableRuntimeException: the process crashed, or the file cannot be read.
    """
    command = [sys.executable, "-c", _PROGRAM.format(path=sys.path), str(path), *columns]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    try:
        try:
            with ipc.open_stream(process.stdout) as first:
                check(first.schema)
                first.read_all()
            with ipc.open_stream(process.stdout) as batches:
                yield from batches
        except (pa.ArrowException, OSError, EOFError) as error:
            raise _failure(process, path, str(error)) from error
        if process.wait():
            raise _failure(process, path, "the process ended early")
    finally:
        process.kill()
        process.communicate()


def _failure(process: subprocess.Popen[bytes], path: Path, reason: str) -> TableRuntimeException:
    _, errors = process.communicate()
    code = process.returncode
    if code < 0:
        return TableRuntimeException(
            f"The ORC file '{path}' is damaged: the process that read it ended by the signal {signal.Signals(-code).name}."
        )
    text = errors.decode(errors="replace").strip()
    return TableRuntimeException(f"The ORC file '{path}' cannot be read: {text.splitlines()[-1] if text else reason}")


def main() -> None:
    """Entry point of the process: writes the file of the command line to standard output."""
    from pyarrow.orc import ORCFile

    path, *columns = sys.argv[1:]
    _limit_memory(Path(path))
    try:
        with open(path, "rb") as stream:
            file = ORCFile(pa.PythonFile(stream, "r"))
            with ipc.new_stream(sys.stdout.buffer, file.schema):
                pass
            present = [name for name in columns if name in file.schema.names]
            # A stripe without columns would have no row count.
            read = present or file.schema.names[:1]
            schema = pa.schema([file.schema.field(name) for name in read])
            with ipc.new_stream(sys.stdout.buffer, schema) as writer:
                for stripe in range(file.nstripes):
                    batch = file.read_stripe(stripe, read)
                    batch.validate(full=True)
                    writer.write_batch(batch.select(read))
            sys.stdout.buffer.flush()
    except MemoryError:
        sys.exit("it needs more memory than a file of its size can need")
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        sys.exit(f"{error}")


def _limit_memory(path: Path) -> None:
    """Limits the memory of this process, so that wrong lengths in a small damaged file do not allocate gigabytes."""
    with suppress(ImportError, ValueError, OSError):  # not supported on all systems
        import resource

        limit = min(memory_budget(), LEAST_MEMORY + MEMORY_PER_BYTE * path.stat().st_size)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
