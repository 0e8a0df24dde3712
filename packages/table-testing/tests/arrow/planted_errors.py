"""Errors planted in a correct connector, each with the test of the compliance suites that must find it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from ledger import STAGED, TABLES, LedgerFactory
from planted import Row, plant

from table_testing import LookupCompliance, SinkCompliance, SourceCompliance

BUGS = {
    "constants are truncated": "source_filters_that_do_not_remain",
    "comparisons are flipped": "source_filters_that_do_not_remain",
    "IN looks at the first constant": "source_filters_that_do_not_remain",
    "NOT IN does without NULL": "source_filters_that_do_not_remain",
    "BETWEEN leaves out the upper bound": "source_filters_that_do_not_remain",
    "BETWEEN swaps its bounds": "source_filters_that_do_not_remain",
    "<= is <": "deletion_deletes_the_rows",
    "NOT keeps NULL": "deletion_deletes_the_rows",
    "OR is AND": "source_filters_that_do_not_remain",
    "= finds parts of text": "deletion_deletes_the_rows",
    "= does without spaces at the end": "source_filters_that_do_not_remain",
    "= does without case": "source_filters_that_do_not_remain",
    "LIKE takes _ for any text": "source_filters_that_do_not_remain",
    "a filter is lost": "source_filters_are_accepted_or_remain",
    "a filter is accepted only": "source_filters_that_do_not_remain",
    "the last filter wins": "source_applies_all_filters",
    "copies share filters": "source_copies_share_no_filters",
    "a copy forgets its filters": "source_copies_keep_what_was_applied",
    "a limit counts before filters": "source_filters_rows_before_it_chooses",
    "filters see the projected row": "source_filters_rows_before_it_chooses",
    "a projection keeps the table's order": "source_projection_chooses_and_orders",
    "a limit is too small": "source_limit_leaves_enough_rows",
    "an empty table has no split": "source_reads_no_rows_of_an_empty_table",
    "a batch is returned instead of batches": "source_reads_all_rows",
    "rows can be read once": "source_can_be_read_again",
    "the provider cannot be pickled": "source_provider_travels",
    "a lookup ignores filters": "lookup_applies_the_filters",
    "a lookup compares the first key alone": "lookup_by_two_columns",
    "a lookup gives the nearest row": "lookup_leaves_out_keys_without_rows",
    "a lookup forgets which key it was": "lookup_finds_the_rows_of_each_key",
    "a lookup finds one row of a key": "lookup_finds_all_rows_of_a_key",
    "a lookup takes NULL for an unknown key": "lookup_of_an_unknown_key",
    "lookup functions share a connection": "lookup_functions_are_independent",
    "the source shows a secret": "secrets_are_in_no_summary",
    "the sink shows a secret": "secrets_are_in_no_summary",
    "an error shows a secret": "secrets_are_in_no_summary",
    "misspelt options are taken": "misspelt_options_are_refused",
    "a missing option is a KeyError": "missing_options_are_named",
    "values of options are not read": "values_that_cannot_be_read",
    "copies of the sink share filters": "deletion_by_a_copy",
    "truncation leaves a row": "sink_truncation",
    "a deletion looks at the first condition": "deletion_needs_all_conditions",
    "a deletion ignores conditions": "deletion_deletes_the_rows",
    "a deletion without conditions does nothing": "deletion_without_a_condition",
    "a deletion counts all rows": "deletion_deletes_the_rows",
    "one row of a deletion is deleted": "rows_of_a_deletion_are_deleted",
    "a deletion of no rows empties the table": "deletion_of_no_rows",
    "an update of no rows empties the table": "update_of_no_rows",
    "an update forgets its first row": "rows_of_an_update_are_changed",
    "an update leaves out the other rows": "rows_of_an_update_are_changed",
    "rows are visible before the commit": "sink_shows_nothing_before_the_commit",
    "an abort commits": "sink_forgets_what_a_writer_aborts",
    "an aborted job is committed": "sink_forgets_what_a_job_aborts",
    "an aborted job stays staged": "sink_leaves_nothing_of_a_job_that_is_aborted",
    "an abort may be told once": "sink_aborts_a_job_however_often",
    "a task keeps its first rows": "sink_takes_many_rows_of_a_task",
    "a later epoch is taken for a repetition": "sink_adds_what_another_epoch_wrote",
    "a later job is taken for a repetition": "sink_adds_what_another_job_wrote",
    "a repeated commit adds rows again": "sink_commits_once",
    "the commit of an earlier epoch is repeated": "sink_ignores_the_repeated_commit",
    "a commit takes all that is prepared": "sink_commits_epochs_in_order",
    "what another run staged is committed": "sink_commits_nothing_that_another_run",
    "a later attempt replaces what was reported": "sink_keeps_what_an_attempt_has_reported",
}
"""Error → part of the name of the test that is about it."""


class LedgerSuite(SourceCompliance, LookupCompliance, SinkCompliance):
    """All suites that need no engine."""

    factory = LedgerFactory
    schema = "id BIGINT NOT NULL, name STRING, amount DOUBLE, is_new BOOLEAN"

    rows = (
        (1, "one", 1.5, True),
        (2, None, 2.5, False),
        (3, "tone", None, None),
        (4, "vier", -0.5, True),
        (7, "seven", 70.0, False),
    )

    def create_table(self, folder: Path, rows: Sequence[Row]) -> Mapping[str, str]:
        name = uuid.uuid4().hex
        TABLES[name] = list(rows)
        return {"name": name}

    def stored_rows(self, options: Mapping[str, str]) -> list[Row]:
        return list(TABLES[options["name"]])

    def traces(self, folder: Path, options: Mapping[str, str]) -> set[str]:
        return {str(identity) for name, identity in STAGED if name == options["name"]}


def failing_tests(folder: Path, part: str = "") -> list[str]:
    """Returns the tests that fail, among those with the part in their names."""
    failed = []
    suite = LedgerSuite()
    for name in dir(suite):
        if not name.startswith("test_") or part not in name:
            continue
        (folder / name).mkdir()
        try:
            getattr(suite, name)(folder / name)
        except Exception:
            failed.append(name)
    return failed


def errors_found_by(suite: type) -> list[str]:
    """Returns the errors that a test of the suite itself, not of its bases, must find."""
    return [bug for bug, part in BUGS.items() if any(part in name for name in vars(suite) if name.startswith("test_"))]


def is_found(bug: str, folder: Path) -> bool:
    """Returns whether the test about an error fails for the connector that has it."""
    plant(bug)
    return failing_tests(folder, BUGS[bug]) != []
