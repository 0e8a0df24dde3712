"""Schedulers of materialized tables."""

from __future__ import annotations

import pytest

from table_common.catalog import CreateRefreshWorkflow, IntervalFreshness, ObjectIdentifier, WorkflowScheduler
from table_common.exceptions import ValidationException
from table_common.factories import WorkflowSchedulerFactory


def test_a_scheduler_has_a_method_for_each_change_of_a_workflow() -> None:
    with pytest.raises(TypeError, match=r"create_refresh_workflow.*delete.*resume.*suspend"):
        WorkflowScheduler()  # type: ignore[abstract]


def test_a_workflow_has_the_statement_with_quoted_names() -> None:
    workflow = CreateRefreshWorkflow(ObjectIdentifier("c", "my db", "a`b"), IntervalFreshness(1, "HOUR"))
    assert workflow.statement == "ALTER MATERIALIZED TABLE `c`.`my db`.`a``b` REFRESH"


def test_a_scheduler_that_is_not_installed_is_named() -> None:
    with pytest.raises(ValidationException, match="No workflow scheduler 'airflow' is installed"):
        WorkflowSchedulerFactory.discover("airflow")
