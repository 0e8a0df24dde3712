"""What a planner does that only translates: the defaults of the SPI."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest
from typing_extensions import override

from table_api import EnvironmentSettings
from table_api.delegation import (
    ExecutablePlan,
    ExplainDetail,
    NoExpressionServices,
    Planner,
    PlannerCapabilities,
    PlannerContext,
    PlannerFactory,
)
from table_api.operations import ModifyOperation, ValuesQueryOperation
from table_common.catalog import ObjectIdentifier, ResolvedSchema
from table_common.configuration import Configuration
from table_common.connector.source import TableStats
from table_common.exceptions import TableException, ValidationException
from table_common.functions import EngineFunction
from table_common.functions.builtin import strings


class Minimal(Planner):
    """Implements what is abstract."""

    @property
    @override
    def name(self) -> str:
        return "minimal"

    @override
    def supports(self, provider: object) -> str | None:
        return "it runs nothing"

    @override
    def translate(self, operations: Sequence[ModifyOperation]) -> ExecutablePlan:
        raise AssertionError("nothing is translated here")

    @override
    def explain(self, operations: Sequence[ModifyOperation], details: Collection[ExplainDetail]) -> str:
        return ""


ROWS = ValuesQueryOperation((), ResolvedSchema(()))


def test_a_minimal_planner_has_no_rules_estimates_or_evaluation() -> None:
    planner = Minimal()
    assert planner.rules() == ()
    assert planner.estimated_rows(ROWS) is None
    assert isinstance(planner.expressions, NoExpressionServices)
    planner.close()


def test_a_minimal_planner_runs_bounded_inputs_without_runtime_filters() -> None:
    assert Minimal().capabilities == PlannerCapabilities(dynamic_filtering=False, unbounded_inputs=False)


def test_an_engine_function_is_its_equivalent_built_in() -> None:
    assert Minimal().resolve_function(EngineFunction(name="ucase", system="hive", equivalent=strings.UPPER)) is strings.UPPER


@pytest.mark.parametrize(
    ("remark", "reason"), [("it reads a file", "it reads a file"), (None, "it runs where Hive's own implementation is: on Spark")]
)
def test_an_engine_function_without_an_equivalent_is_refused_with_the_reason(remark: str | None, reason: str) -> None:
    function = EngineFunction(name="reflect", system="hive", remark=remark)
    with pytest.raises(TableException, match=f"The planner 'minimal' cannot run the function reflect of hive: {reason}"):
        Minimal().resolve_function(function)


def test_a_planner_without_native_tables_names_the_alternatives() -> None:
    with pytest.raises(TableException, match="The planner 'minimal' has no native form of a table; use to_arrow"):
        Minimal().to_external(ROWS)


def test_without_a_catalog_the_statistics_of_tables_are_unknown() -> None:
    context = PlannerContext(EnvironmentSettings.in_batch_mode(), Configuration())
    assert context.table_statistics(ObjectIdentifier("c", "d", "t")) is TableStats.UNKNOWN
    assert context.external == {}


def test_planners_are_found_in_their_entry_point_group() -> None:
    assert PlannerFactory.GROUP == "table.planners"
    with pytest.raises(ValidationException, match="No planner 'no-such-engine' is installed"):
        PlannerFactory.discover("no-such-engine")
