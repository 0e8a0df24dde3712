"""Jobs that move to another number of shares or engine: `python proofs/share_moves.py [--count N] [--seed N]`.

An example is a statement of the list in which all operators occur, or a random query over changelogs or event time, over random rows. Its job is stopped three to five
times, each time with a manifest and files of state, and resumes after it in 64, 16, 64 shares, on the embedded engine, in shares, on the embedded engine, or at a random
place: in the folder that it had, or from a savepoint. The final table must be that of an unbroken run.
"""

from __future__ import annotations

import pickle
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "packages/table-runtime/tests/streaming/shares"))
from all_graphs import STATEMENTS, Graphs, rows_of, tables_of
from in_process import InProcess, numbered
from random_changelogs.checking import checked_examples, run_checker
from random_changelogs.plans import Change, Session, StreamingPlan, collector, random_order, table_of
from random_changelogs.queries import random_query
from random_changelogs.tables import random_tables
from random_event_times.queries import VERSIONS, random_event_query
from random_event_times.tables import CREATE, random_event_tables
from share_cuts import graph_of_tasks

from table_common.connector import RowKind
from table_common.exceptions import TableError
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming import restored
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.checkpoints.manifest import Manifest, OperatorFiles
from table_runtime.streaming.checkpoints.state_files import StateFile, write_state
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.job.job_layout import JobLayout, layout_of
from table_runtime.streaming.job.recovery import RestorePoint
from table_runtime.streaming.job.upgrade_check import checked_upgrade
from table_runtime.streaming.shares.mapped_state import MapFolder

__all__ = ["BY_ARRIVAL", "Checker", "Job", "main"]

EMBEDDED = 0
"""The place of a job that runs in this process, and not in shares."""
MOVES = ((64, 16, 64), (EMBEDDED, 16, EMBEDDED), (16, EMBEDDED, 64))
PLACES = (EMBEDDED, 1, 3, 16, 64)
BY_ARRIVAL = {"sink with a key"}
"""Statements with a row per key, the first column, in which the last row counts: which one it is depends on the order of rows of different shares."""
ROWS = 40
SINK = "sink"


class Job:
    """A job of a graph over all rows of its sources, which runs part by part at several places. ``changes`` is what it has emitted."""

    def __init__(self, graph: Graph, inputs: Sequence[ChangeBatch], folder: Path, chance: random.Random) -> None:
        self._graph = graph
        self._inputs = inputs
        self._chance = chance
        self._folder = folder
        self._layout = layout_of(graph, [SINK])
        self._content = pickle.dumps(graph_of_tasks(graph))
        self._manifest: Manifest | None = None
        self._store: Any = None
        self._stopped = 0
        self.changes: list[Change] = []

    def run(self, places: Sequence[int]) -> None:
        """Runs the job at each place in turn, and to its end at the last one."""
        cuts = [sorted(self._chance.randrange(batch.num_rows + 1) for _ in places[1:]) for batch in self._inputs]
        starts, before = [0] * len(self._inputs), None
        for number, place in enumerate(places):
            is_last = number == len(places) - 1
            ends = [batch.num_rows if is_last else cut[number] for batch, cut in zip(self._inputs, cuts, strict=True)]
            parts = [batch.slice(start, end - start) for batch, start, end in zip(self._inputs, starts, ends, strict=True)]
            starts = ends
            # An engine does not continue in the folder of the other one.
            stays = before is not None and (place == EMBEDDED) == (before == EMBEDDED) and self._chance.random() < 0.5
            if not stays:
                self._stopped += 1
            folder = JobFolder.open(str(self._folder / str(self._stopped)), "job", "arrow" if place == EMBEDDED else "spark")
            point = self._restore_point(folder, is_own=stays)
            if place == EMBEDDED:
                self._run_embedded(folder, point, parts, is_last=is_last)
            else:
                self._run_shares(folder, point, parts, place, is_last=is_last)
            self._store, before = folder.store, place

    def _restore_point(self, folder: JobFolder, *, is_own: bool) -> RestorePoint:
        manifest = self._manifest
        if manifest is None:
            return RestorePoint(0, None, folder.store)
        upgrade = checked_upgrade(manifest, self._layout, ignores_unclaimed=False)
        return RestorePoint(manifest.epoch + 1, Manifest.from_bytes(manifest.to_bytes(), "the manifest"), self._store, is_own, upgrade)

    def _run_embedded(self, folder: JobFolder, point: RestorePoint, parts: Sequence[ChangeBatch], *, is_last: bool) -> None:
        graph, layout = self._graph, self._layout
        with closing(ExecutionContext(parallelism=1)) as context:
            run = GraphRun(graph, context, [collector(self.changes)])
            if point.manifest is None:
                run.start()
            else:
                graph.clock.set_least(point.manifest.processing_time)
                run.restore(point.state(layout, context))
            files: dict[str, tuple[StateFile, ...]] = dict.fromkeys(layout.operators, ())
            for half in range(2):
                for source, part in zip(graph.sources, parts, strict=True):
                    middle = part.num_rows // 2
                    rows = part.slice(middle * half, part.num_rows - middle if half else middle)
                    if rows.num_rows:
                        run.push(source.edges, rows, "0")
                for name, snapshot in zip(layout.operators, run.snapshot(changes_only=bool(half)), strict=True):
                    old = () if snapshot.is_whole else files[name]
                    if snapshot.buckets:
                        path = folder.state_path(name, point.epoch, "run", f"part{half}")
                        old = (write_state(folder.store, path, snapshot), *old)
                    files[name] = old
            if is_last:
                for source in graph.sources:
                    run.end(source.edges)
            self._manifest = manifest_of(layout, point.epoch, graph.clock.advance(), files, run.watermarks())

    def _run_shares(self, folder: JobFolder, point: RestorePoint, parts: Sequence[ChangeBatch], shares: int, *, is_last: bool) -> None:
        graph, layout, chance = self._graph, self._layout, self._chance
        url = str(self._folder / str(self._stopped) / "job")
        maps = MapFolder(f"{self._folder}/maps", 1 << 30) if chance.random() < 0.5 else None
        job = InProcess(pickle.loads(self._content), shares, url, map_folder=maps, chance=chance)
        now = int(time.time() * 1000)
        if point.manifest is not None:
            parts_of_job: Any = SimpleNamespace(layout=layout, levels=job.job.levels, graph=graph)
            attempt: Any = SimpleNamespace(
                restore_point=point, checkpoints=SimpleNamespace(folder=folder, next_epoch=point.epoch, run="run")
            )
            job.state = restored(parts_of_job, job.job, attempt)
            now = max(now, point.manifest.processing_time)
        job.epoch, job.attempt = point.epoch, 1000 * point.epoch
        for half in range(2):
            rows = {}
            for number, (source, part) in enumerate(zip(graph.sources, parts, strict=True)):
                middle = part.num_rows // 2
                own = part.slice(middle * half, part.num_rows - middle if half else middle)
                if own.num_rows or not point.epoch:
                    rows[number, "0"] = [numbered(own, has_kinds=source.has_kinds)]
            ends = range(len(parts)) if is_last and half else ()
            job.run(rows, ended=[(number, "0") for number in ends], ends=ends, now=now + half)
        self.changes += job.changes()
        files = {name: job.state.files.get(node, ()) for node, name in enumerate(layout.operators)}
        for node, snapshot in job.job.source_states(job.state).items():
            if snapshot.buckets:
                path = folder.state_path(layout.operators[node], job.epoch, "run", "base")
                files[layout.operators[node]] = (write_state(folder.store, path, snapshot),)
        watermarks = [tuple(job.state.watermarks.get(node, ())) for node in range(len(layout.operators))]
        self._manifest = manifest_of(layout, job.epoch, now + 1, files, watermarks)


def manifest_of(layout: JobLayout, epoch: int, now: int, files: Any, watermarks: Sequence[tuple[int, ...]]) -> Manifest:
    """Returns the manifest of a job that stops."""
    states = {
        name: OperatorFiles(tuple(files[name]), marks, layout.signatures.get(name), str(node.operator), layout.operator_ids.get(name))
        for name, node, marks in zip(layout.operators, layout.nodes, watermarks, strict=True)
    }
    sources: dict[str, dict[str, Any]] = {name: {} for name in layout.sources}
    return Manifest("job", epoch, "run", now, now, sources, states, {}, {}, 0, layout.scans)


def keys_of(changes: Sequence[Change]) -> set[object]:
    """Returns the keys that are there: the last change of a key is not its deletion."""
    last = {row[0]: kind for kind, row in changes}
    return {key for key, kind in last.items() if kind != RowKind.DELETE.value}


class Checker:
    """Runs examples. ``found`` are the descriptions of the failures."""

    def __init__(self, folder: Path) -> None:
        (folder / "events").mkdir()
        self._graphs = Graphs(folder)
        self._session = Session(folder)
        self._events = Session(folder / "events", CREATE)
        self._events.execute(VERSIONS)
        self.found: list[str] = []
        self.checked: Counter[str] = Counter()

    def close(self) -> None:
        """Ends the sessions."""
        self._graphs.close()
        self._session.close()
        self._events.close()

    def check(self, seed: int) -> int:
        """Checks the statement of a seed: two of four examples are of the list, in its order. Returns 1, or 0 if the query keeps no state."""
        chance = random.Random(seed)
        kind = seed % 4
        names = list(STATEMENTS)
        name = names[(seed // 4 * 2 + kind) % len(names)] if kind < 2 else ("", "", "changelogs", "event time")[kind]
        places = (
            MOVES[chance.randrange(len(MOVES))] if chance.random() < 0.7 else [chance.choice(PLACES) for _ in range(chance.randrange(3, 6))]
        )
        if kind < 2:
            text, graph = STATEMENTS[name], self._graphs.of(STATEMENTS[name])
            inputs = [rows_of(source, chance, ROWS) for source in graph.sources]
            expected = [] if name in BY_ARRIVAL else tables_of(graph, inputs)
        else:
            plan = None
            if kind == 2:
                text = random_query(chance, chance.randrange(1, 4))
                plan = StreamingPlan(self._session, [text])
                tables: Any = random_tables(chance)
            else:
                text = random_event_query(chance, chance.choice([0, 1, 1, 2, 3])).text
                tables = random_event_tables(chance, is_orderly=True)
                if "CURRENT_WATERMARK" in text:  # in shares watermarks move on between epochs only
                    return 0
                try:
                    plan = StreamingPlan(self._events, [text])
                except TableError:
                    return 0
            if not plan.keeps_state:
                return 0
            graph, inputs = plan.graph, plan.inputs(tables)
            expected = [table_of(changes) for changes in plan.run(inputs, random_order(chance, inputs))]
        where = f"seed {seed}, {' → '.join(str(place or 'embedded') for place in places)}: {name}: {text}"
        with tempfile.TemporaryDirectory() as folder:
            job = Job(graph, inputs, Path(folder), chance)
            try:
                job.run(places)
            except Exception as error:
                self.found.append(f"{type(error).__name__}: {error}: {where}")
                return 1
        self.checked[f"{len(places)} places"] += 1
        self.checked["of the list" if kind < 2 else name] += 1
        self.checked["with an engine change"] += len({place == EMBEDDED for place in places}) > 1
        if name in BY_ARRIVAL:
            straight: list[Change] = []
            with closing(ExecutionContext(parallelism=1)) as context:
                run = GraphRun(graph, context, [collector(straight)])
                run.start()
                for source, batch in zip(graph.sources, inputs, strict=True):
                    run.push(source.edges, batch)
                    run.end(source.edges)
            if keys_of(job.changes) != keys_of(straight):
                self.found.append(f"other keys: {where}")
        elif [table_of(job.changes)] != expected:
            self.found.append(f"another table: {where}\n  {table_of(job.changes)}\n  instead of\n  {expected[0]}")
        return 1


def examples(count: int, seed: int) -> Iterator[tuple[int, Checker]]:
    """Checks ``count`` examples; yields their number so far and the checker after each."""
    return checked_examples(Checker, count, seed)


def main() -> int:
    """Runs the program; returns 1 if a check fails."""
    return run_checker(__doc__, Checker)


if __name__ == "__main__":
    sys.exit(main())
