"""The flights program on a few flights: the preparation of the data, and equal results on both engines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

ROOT = Path(__file__).parents[2]
CSV = {
    "airlines": "carrier,name\nAA,American Airlines Inc.\nDL,Delta Air Lines Inc.\n",
    "airports": "faa,name,lat,lon,alt,tz,dst,tzone\nBOS,Logan,42.4,-71.0,19,-5,A,America/New_York\n",
    "planes": "tailnum,year,type,manufacturer,model,engines,seats,speed,engine\n"
    "N1,2004,Fixed wing multi engine,BOEING,737,2,149,NA,Turbo-fan\nN2,NA,Fixed wing multi engine,AIRBUS,A320,2,182,NA,Turbo-fan\n",
    "weather": "origin,year,month,day,hour,temp,dewp,humid,wind_dir,wind_speed,wind_gust,precip,pressure,visib,time_hour\n"
    "JFK,2013,1,1,5,39.02,26.06,59.37,270,10.357,NA,0.2,1012,10,2013-01-01T10:00:00Z\n"
    "JFK,2013,1,1,6,39.02,26.06,59.37,NA,10.357,NA,0,NA,10,2013-01-01T11:00:00Z\n",
    "flights": "year,month,day,dep_time,sched_dep_time,dep_delay,arr_time,sched_arr_time,arr_delay,carrier,flight,tailnum,origin,dest,"
    "air_time,distance,hour,minute,time_hour\n"
    "2013,1,1,517,515,2,830,819,11,AA,1545,N1,JFK,BOS,40,187,5,15,2013-01-01T10:00:00Z\n"
    "2013,1,1,635,600,35,850,830,20,AA,1714,N1,JFK,BOS,41,187,6,0,2013-01-01T11:00:00Z\n"
    "2013,1,1,NA,600,NA,NA,830,NA,DL,15,NA,JFK,SJU,NA,1598,6,0,2013-01-01T11:00:00Z\n"
    "2013,1,1,559,600,-1,820,830,-10,DL,16,N2,JFK,SJU,200,1598,6,0,2013-01-01T11:00:00Z\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data/flights, written by the preparation from a package of a few rows."""
    folder = tmp_path_factory.mktemp("flights")
    package = folder / "package"
    (package / "data").mkdir(parents=True)
    for name, text in CSV.items():
        (package / "data" / f"{name}.csv").write_text(text)
    command = [sys.executable, str(ROOT / "examples" / "prepare_flights.py"), str(folder / "data" / "flights"), str(package)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert finished.returncode == 0, finished.stderr
    return folder


def _read(folder: Path, table: str) -> pa.Table:
    return pa.parquet.read_table(folder / "data" / "flights" / f"{table}.parquet")


def test_whole_numbers_with_gaps_stay_whole_numbers(folder: Path) -> None:
    delays = _read(folder, "flights")["dep_delay"]
    assert delays.type == pa.int32()
    assert delays.to_pylist() == [2, 35, None, -1]


def test_hours_are_timestamps_in_utc_without_a_zone(folder: Path) -> None:
    hours = _read(folder, "weather")["time_hour"]
    assert hours.type == pa.timestamp("us")
    assert str(hours[0].as_py()) == "2013-01-01 10:00:00"


def test_missing_text_is_null(folder: Path) -> None:
    assert _read(folder, "flights")["tailnum"].to_pylist() == ["N1", "N1", None, "N2"]


def test_no_temporary_files_remain(folder: Path) -> None:
    assert sorted(path.name for path in (folder / "data" / "flights").iterdir()) == [f"{name}.parquet" for name in sorted(CSV)]


def _answers(folder: Path, planner: str) -> list[str]:
    """Runs the program and returns the lines of its printed tables."""
    client = Path(sys.executable).with_name("sql-client")
    command = [str(client), "-f", str(ROOT / "examples" / "flights.sql"), "--planner", planner]
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert finished.returncode == 0, finished.stderr + finished.stdout
    return [line.rstrip() for line in finished.stdout.splitlines() if line.startswith(("|", "+"))]


def test_the_embedded_engine_runs_the_program(folder: Path) -> None:
    answers = "\n".join(_answers(folder, "arrow"))
    assert "American Airlines Inc." in answers
    assert "heavy rain" in answers
    assert "Logan" in answers
    assert "SJU" in answers, "an airport that the list does not know keeps its code"


def test_both_engines_return_the_same_results(folder: Path) -> None:
    assert _answers(folder, "spark") == _answers(folder, "arrow")
