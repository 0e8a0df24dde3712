from __future__ import annotations

import pytest

from table_common.configuration import ConfigOption
from table_common.configuration.session_options import SESSION_OPTIONS

OPTIONS = sorted({option.key: option for option in SESSION_OPTIONS.values()}.values(), key=lambda option: option.key)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_each_option_is_described_for_the_reference(option: ConfigOption[object]) -> None:
    assert option.description.endswith(".")


def test_each_option_is_found_by_each_of_its_keys() -> None:
    assert all(SESSION_OPTIONS[key] is option for option in OPTIONS for key in option.all_keys)


def test_keys_are_flinks_dotted_lower_case_words() -> None:
    assert [key for key in SESSION_OPTIONS if key != key.lower() or " " in key] == []


VALUES_STAY = {
    "table.exec.async-ml-predict.": "how many requests of a model run at once, and how long they may take",
    "table.exec.async-vector-search.": "how many searches run at once, and how long they may take",
    "execution.runtime-mode": "state is kept in streaming mode only",
    "table.planner": "engines compute the same",
    "table.spark.master": "where a job runs",
    "table.builtin-": "names of catalogs",
    "table.catalog-modification.": "who is told of changes",
    "table.sql-dialect": "there is one dialect",
    "table.dml-sync": "who waits for a job",
    "table.dynamic-table-options.enabled": "whether a statement is taken",
    "table.column-expansion-strategy": "the columns that a statement has: they are part of the plan",
    "table.log.format": "what is logged",
    "table.display.": "what is printed",
    "table.rtas-ctas.": "how tables are created",
    "table.generated-code.": "without effect",
    "table.plan.": "files of plans",
    "table.exec.timeout": "when a job ends",
    "table.exec.resource.": "how many threads compute",
    "table.exec.memory": "how much is kept in memory",
    "table.exec.spill": "where rows are kept",
    "table.exec.sink.": "how rows are written, not what is computed; nodes of the plan say what is kept for it",
    "table.exec.sort.": "batch mode only",
    "table.exec.async-lookup.": "how rows are looked up",
    "table.exec.state.": "how long rows are kept, and how many",
    "table.exec.spark.": "how Spark divides rows and epochs",
    "table.exec.source.": "which rows are waited for; nodes of the plan say what is kept for it",
    "table.exec.emit.": "when windows emit: part of the nodes of the plan",
    "table.exec.mini-batch.": "which rows are processed together",
    "table.exec.session-windows-in-batch": "batch mode only",
    "table.optimizer.": "how rows are computed",
    "pipeline.name": "the name of a job",
    "pipeline.auto-watermark-interval": "how often watermarks are emitted",
    "pipeline.global-job-parameters": "what user functions read, like their code, which is known by its name alone",
    "pipeline.cached-files": "what user functions read, like their code, which is known by its name alone",
    "python.files": "the code of user functions, which is known by its name alone",
    "python.archives": "what user functions read, like their code, which is known by its name alone",
    "python.executable": "without effect",
    "python.requirements": "the code of user functions, which is known by its name alone",
    "table.security.": "whether a statement is taken",
    "execution.checkpointing.": "where state is kept",
    "execution.state-recovery.": "which state is used",
    "materialized-table.": "when materialized tables are refreshed",
    "workflow-scheduler.": "when materialized tables are refreshed",
    "restart-strategy.": "when a job starts again",
}
"""Why expressions compute the same values with any value of an option, by the beginning of its key."""


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_each_option_either_changes_expressions_or_says_why_it_does_not(option: ConfigOption[object]) -> None:
    reasons = [reason for start, reason in VALUES_STAY.items() if option.key.startswith(start)]
    assert option.changes_expressions is not bool(reasons)


def test_a_default_is_a_value_that_its_option_parses() -> None:
    assert [
        option.key
        for option in OPTIONS
        if isinstance(option.default, (str, int, bool))
        and option.parse(str(option.default).lower() if isinstance(option.default, bool) else str(option.default)) != option.default
    ] == []
