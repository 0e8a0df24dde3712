"""What is stored is never unpickled: whoever wrote a pickle chooses what runs. Only the modules below use pickles."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Repository

PICKLES = {"pickle", "_pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
READS = {"load", "loads", "Unpickler"}

SENT_TO_WORKERS = "what the process of a job sends to workers of the same job"
READERS = {
    "table_runtime/streaming/checkpoints/convert.py": "converts folders of former formats, when the user tells it to; nothing imports it",
    "table_runtime/aggregates/user_states.py": "accumulators on their way between Spark's workers of one job",
    "table_runtime/udf/values.py": "values of RAW columns, which are Python objects by their type; no checkpoint holds any",
    "table_runtime/streaming/shares/mapped_state.py": "arrays of a share that a machine keeps between two epochs, in a folder to which only the user of the job can write",
    "table_planner_spark/expressions/user_functions/worker.py": SENT_TO_WORKERS,
    "table_planner_spark/expressions/worker_kernels.py": SENT_TO_WORKERS,
    "table_planner_spark/scan/arrow_source.py": SENT_TO_WORKERS,
    "table_planner_spark/scan/stream_source.py": SENT_TO_WORKERS,
    "table_runtime/streaming/share_epochs/bounded_sources.py": SENT_TO_WORKERS,
    "table_runtime/streaming/workers/messages.py": "errors that a worker sends to its client",
    "table_runtime/streaming/workers/share_worker.py": SENT_TO_WORKERS,
    "table_runtime/streaming/workers/worker_group.py": "what workers answer to the client that has started them",
    "table_planner_spark/sink/arrow_sink.py": SENT_TO_WORKERS,
    "table_common/data/serializer.py": "PickleSerializer, which a program of the user calls",
    "table_testing/connector_case.py": "the compliance suites, which pickle the objects of a connector as engines do",
    "table_testing/file_format_compliance.py": "the compliance suites, which pickle the objects of a connector as engines do",
}
WRITERS = {
    "table_planner_spark/expressions/user_functions/shipping.py": "functions of the user, for Spark's workers",
    "table_planner_spark/streaming/choose_source.py": SENT_TO_WORKERS,
    "table_runtime/streaming/workers/shipping.py": SENT_TO_WORKERS,
    "table_planner_spark/streaming/driver.py": "checks that operators and sinks can be sent to workers",
}


def _uses(source: Path) -> tuple[bool, bool]:
    """Returns whether a file imports a pickler, and whether it reads pickles."""
    text = source.read_text(encoding="utf-8")
    if not any(word in text for word in (*PICKLES, "read_pickle")):
        return False, False
    tree = ast.parse(text)
    names = set()
    reads = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name for alias in node.names if alias.name.split(".")[0] in PICKLES}
        elif isinstance(node, ast.ImportFrom):
            from_pickler = (node.module or "").split(".")[0] in PICKLES
            names |= {alias.asname or alias.name for alias in node.names if from_pickler or alias.name in PICKLES}
            reads = reads or (from_pickler and any(alias.name in READS for alias in node.names))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in READS and isinstance(node.value, ast.Name) and node.value.id in names:
            reads = True
        if isinstance(node, ast.Attribute) and node.attr == "read_pickle":  # pandas
            names, reads = names | {"pandas"}, True
    return bool(names), reads


def test_only_listed_modules_use_pickles(repository: Repository) -> None:
    found: dict[str, tuple[bool, bool]] = {}
    for distribution in repository.distributions.values():
        for source in distribution.sources:
            uses = _uses(source)
            if any(uses):
                found[source.relative_to(distribution.root / "src").as_posix()] = uses
    readers = {name for name, (_, reads) in found.items() if reads}
    assert readers <= set(READERS), f"these read pickles: {sorted(readers - set(READERS))}. Store values in a written form: JSON or Arrow"
    assert set(found) <= set(READERS) | set(WRITERS), f"these use pickles: {sorted(set(found) - set(READERS) - set(WRITERS))}"
    assert set(READERS) == readers, "take those that use no pickles any more off the list"


def test_nothing_imports_the_module_that_converts_checkpoints(repository: Repository) -> None:
    imports = (
        r"^\s*from \S*checkpoints\.convert import ",
        r"^\s*import \S*checkpoints\.convert\b",
        r"^\s*from \S*checkpoints import (\([^)]*|[^\n]*)\bconvert\b",
    )
    importing = re.compile("|".join(imports), re.MULTILINE)
    sources = (source for distribution in repository.distributions.values() for source in distribution.sources)
    importers = [str(source) for source in sources if importing.search(source.read_text(encoding="utf-8"))]
    assert not importers
