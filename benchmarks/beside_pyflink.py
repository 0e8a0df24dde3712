"""The same programs on PyFlink and on both engines: seconds from the first import to the result, each in a fresh process.

    python benchmarks/beside_pyflink.py --pyflink PYTHON [--engines arrow,spark] [--rows 1000000] [--rounds 3] [--only TEXT] [--smoke]

``PYTHON`` is the interpreter of an environment with apache-flink (its mini cluster runs in the process of the program). The program is
``harness/table_program.py``: only its imports differ. Its results must be equal. Each round runs all engines in turn; the figures are the least of the
rounds: seconds in all, and seconds of the statement alone in parentheses.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from harness.table_program import QUERIES

PROGRAM = Path(__file__).parent / "harness" / "table_program.py"
KEYS = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pyflink", metavar="PYTHON", help="the interpreter of an environment with apache-flink")
    parser.add_argument("--engines", default="arrow,spark")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="only cases whose name contains this text")
    parser.add_argument("--smoke", action="store_true", help="few rows, the embedded engine, one round, as a smoke test")
    arguments = parser.parse_args()
    rows, rounds = (1000, 1) if arguments.smoke else (arguments.rows, arguments.rounds)
    pythons = {"pyflink": arguments.pyflink} if arguments.pyflink else {}
    pythons |= dict.fromkeys(["arrow"] if arguments.smoke else arguments.engines.split(","), sys.executable)
    print(f"{'':24}" + "".join(f"{engine:>20}" for engine in pythons))
    with TemporaryDirectory() as folder:
        write_files(Path(folder), rows)
        for case in QUERIES:
            if arguments.only not in case:
                continue
            runs = [{engine: run(python, engine, case, folder) for engine, python in pythons.items()} for _ in range(rounds)]
            require_equal_results(case, runs[0])
            figures = []
            for engine in pythons:
                best = min((one[engine] for one in runs), key=lambda result: result["total"])
                figures.append(f"{best['total']:.2f} s ({best['statement']:.2f} s)")
            print(f"{case:24}" + "".join(f"{figure:>20}" for figure in figures), flush=True)


def run(python: str, engine: str, case: str, folder: str) -> dict[str, Any]:
    for output in Path(folder).glob(f"*-{engine}/**/*"):
        if output.is_file():
            output.unlink()
    done = subprocess.run([python, str(PROGRAM), engine, case, folder], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{case} on {engine}: {done.stderr or done.stdout}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def require_equal_results(case: str, results: dict[str, dict[str, Any]]) -> None:
    texts = {engine: as_text(result["found"]) for engine, result in results.items()}
    if len(set(texts.values())) > 1:
        raise SystemExit(f"{case}: the results differ: { ({engine: text[:200] for engine, text in texts.items()}) }")


def as_text(found: Any) -> str:
    return (
        "\n".join(sorted(map(str, found))) if isinstance(found, list) else str(sorted(found.items()) if isinstance(found, dict) else found)
    )


def write_files(folder: Path, rows: int) -> None:
    chosen = np.random.default_rng(1)
    identifiers = np.arange(rows)
    times = np.datetime64("2026-01-01T00:00:00.000") + identifiers.astype("timedelta64[ms]") * (86_400_000 // rows or 1)
    texts = pc.replace_substring(pc.cast(pa.array(times), pa.string()), "T", " ")
    names = pa.array([f"name-{number}" for number in (identifiers % 5000).tolist()])
    values = pa.array(np.round(chosen.random(rows) * 1000, 2))
    events = pa.table({"id": identifiers, "k": chosen.integers(0, KEYS, rows), "v": values, "name": names, "ts": texts})
    options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
    pyarrow.csv.write_csv(events, folder / "events.csv", options)
    with (folder / "events.json").open("w") as file:
        for batch in events.to_batches(10_000):
            file.writelines(json.dumps(row) + "\n" for row in batch.to_pylist())
    labels = pa.table({"k": np.arange(KEYS), "label": [f"label-{number % 20}" for number in range(KEYS)]})
    pyarrow.csv.write_csv(labels, folder / "dimension.csv", options)


if __name__ == "__main__":
    main()
