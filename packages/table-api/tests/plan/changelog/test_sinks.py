from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from table_api.operations import SinkModifyOperation
from table_api.operations.changelog import ModifyKind
from table_api.plan.changelog.sinks import identifies_rows, with_materializer
from table_api.plan.facts.record import InputFacts
from table_common.configuration import Configuration
from table_common.connector import ChangelogMode
from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from conftest import Inference

UPDATES = frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})
UPSERT = ChangelogMode.upsert()


def facts(*keys: int, kinds: frozenset[ModifyKind] = UPDATES) -> InputFacts:
    return InputFacts(kinds, frozenset({frozenset(keys)}) if keys else frozenset(), ())


def sink(inference: Inference, mode: ChangelogMode = UPSERT, key: tuple[str, ...] = ("id",), **fields: Any) -> SinkModifyOperation:
    return replace(inference.sink(inference.query("SELECT id, name FROM u"), mode, key=key), **fields)


def materialized(operation: SinkModifyOperation, child: InputFacts, **options: str) -> bool:
    settings = {f"table.exec.sink.{name.replace('_', '-')}": value for name, value in options.items()}
    return with_materializer(operation, child, Configuration(settings)).upsert_materialize


def test_a_primary_key_that_contains_an_upsert_key_identifies_the_rows(inference: Inference) -> None:
    assert identifies_rows(sink(inference), facts(0))
    assert not identifies_rows(sink(inference), facts(1))
    assert identifies_rows(sink(inference, key=("id", "name")), facts(1))
    assert not identifies_rows(sink(inference, key=()), facts(0))


def test_rows_are_materialized_if_the_keys_differ_and_a_conflict_strategy_is_set(inference: Inference) -> None:
    assert not materialized(sink(inference), facts(0))
    assert materialized(sink(inference, on_conflict="DEDUPLICATE"), facts(1))
    assert materialized(sink(inference), facts(1), require_on_conflict="false")
    assert not materialized(sink(inference), facts(1), upsert_materialize="NONE")
    assert materialized(sink(inference), facts(0), upsert_materialize="FORCE")


def test_a_sink_that_writes_every_change_needs_no_materialization_for_any_key(inference: Inference) -> None:
    every = sink(inference, ChangelogMode.all())
    assert not materialized(every, facts(1))
    assert not materialized(every, facts(1), upsert_materialize="FORCE")


def test_insert_only_queries_need_no_materialization(inference: Inference) -> None:
    assert not materialized(sink(inference), facts(kinds=frozenset({ModifyKind.INSERT})))


def test_without_on_conflict_the_error_names_both_keys(inference: Inference) -> None:
    with pytest.raises(ValidationException, match=r"has the primary key \(id\), but the query identifies rows by \(name\)") as caught:
        materialized(sink(inference), facts(1))
    assert "Its rows are updated by" in str(caught.value)
    assert "ON CONFLICT DO DEDUPLICATE" in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"key": ()}, "needs a primary key"),
        ({"mode": ChangelogMode.insert_only()}, "accepts only insertions"),
        ({"mode": ChangelogMode.all()}, "writes every change as it is"),
    ],
)
def test_on_conflict_is_only_possible_for_upsert_sinks_with_a_primary_key(
    fields: dict[str, Any], message: str, inference: Inference
) -> None:
    with pytest.raises(ValidationException, match=message):
        materialized(sink(inference, on_conflict="DEDUPLICATE", **fields), facts(1))


def test_strategies_that_wait_for_event_time_need_watermarks(inference: Inference) -> None:
    with pytest.raises(ValidationException, match="waits for event time, but these tables have no watermark"):
        materialized(sink(inference, on_conflict="NOTHING"), facts(1))
