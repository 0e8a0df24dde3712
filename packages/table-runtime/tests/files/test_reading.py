from __future__ import annotations

import pickle
from pathlib import Path

import pyarrow as pa

from table_runtime.files.reading import TableFile


def test_values_of_partitions_travel_to_workers_as_they_are() -> None:
    values = {
        "nanos": pa.scalar(1577872800123456789, pa.timestamp("ns")),
        "nothing": pa.scalar(None, pa.string()),
        "bytes": pa.scalar(b"\x00\xff"),
    }
    file = pickle.loads(pickle.dumps(TableFile(Path("a"), values, (1, 2))))
    assert (file.path, file.byte_range) == (Path("a"), (1, 2))
    assert all(file.partition[name].equals(value) for name, value in values.items())
