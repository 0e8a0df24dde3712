"""Runs a streaming job for long and kills it now and then: `python proofs/soak_kills.py [--driver spark] [--minutes 30] [--every 180] [--servers] [--seed N]`.

The job, its tables and the checks are those of `kill_stream.py`; the process is killed by SIGKILL every `--every` seconds, and started again. Before each kill are printed the memory of the
process and all that it has started, the files in the checkpoint folder, the rows that were seen, and how long the start took. At the end the tables must be those that a batch query makes.
The exit code is 1 if they are not, if the changes make no table at some moment, or if the checkpoint folder or the memory of a run is more than twice (`--growth`) that of the second run.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from kill_stream import POINTS, PROCESSES, START_SECONDS, Kills
from stream_places import Local, Servers

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from harness.process_tree import memory_of

_PAUSE = 1.0
"""Seconds between new orders: each look reads all that was written."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", choices=list(POINTS), default="spark")
    parser.add_argument("--servers", action="store_true", help="with Kafka and PostgreSQL, which are started")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--every", type=float, default=180, help="seconds from kill to kill")
    parser.add_argument("--growth", type=float, default=2.0, help="how much larger memory and folder may be than in the second run")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="soak-kills") as folder:
        places = Servers(Path(folder)) if arguments.servers else Local(Path(folder))
        PROCESSES.set_forkserver_preload(["__main__", *places.modules])
        places.create()
        soak = Soak(Path(folder), places, random.Random(arguments.seed), float("inf"), arguments.driver)
        sizes = []
        for _ in range(max(1, round(arguments.minutes * 60 / arguments.every))):
            sizes.append(soak.run_for(arguments.every))
        soak.finish()
        print(f"killed {soak.kills} times, looked {soak.looks} times: the tables are those of batch mode")
        for what, values in zip(("bytes of memory", "files of checkpoints"), zip(*sizes[1:], strict=True), strict=False):
            if max(values) > arguments.growth * values[0]:
                sys.exit(f"the {what} grew from {values[0]:,} to {max(values):,}")


class Soak(Kills):
    """Kills at fixed times."""

    def run_for(self, seconds: float) -> tuple[int, int]:
        """Runs the job for ``seconds`` seconds, and kills it; returns its memory, and the number of files of its checkpoints."""
        process, began = self.start(None), time.monotonic()
        epochs = self.folder / "checkpoints" / "kills" / "done"
        before, first = self.last(epochs), 0.0
        patience = 3 * (self.places.limit_seconds + START_SECONDS[self.driver])
        while process.is_alive() and time.monotonic() < began + (seconds if first else max(seconds, patience)):
            self.feed()
            self.look()
            if not first and self.last(epochs) > before:
                first = time.monotonic() - began
            time.sleep(_PAUSE)
        memory, files = memory_of(process.pid or 0), sum(path.is_file() for path in (self.folder / "checkpoints").rglob("*"))
        process.kill()
        process.join()
        if process.exitcode != -signal.SIGKILL:
            raise SystemExit(f"the process ended with {process.exitcode} and not by a kill")
        if not first:
            raise SystemExit(f"no epoch ended within {max(seconds, patience):g} s")
        self.kills += 1
        print(
            f"run {self.kills}: first epoch after {first:.0f} s, epochs to {self.last(epochs)}, {memory / 2**20:,.0f} MB, {files} files of checkpoints",
            flush=True,
        )
        return memory, files

    @staticmethod
    def last(epochs: Path) -> int:
        """Returns the number of the last epoch that is done."""
        return max((int(path.name) for path in epochs.glob("*") if path.name.isdigit()), default=-1) if epochs.is_dir() else -1


if __name__ == "__main__":
    main()
