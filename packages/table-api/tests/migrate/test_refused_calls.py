"""What ``migrate`` finds says the same when a program that was not migrated calls it."""

from __future__ import annotations

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.migrate.refused_calls import refusal_of
from table_common.exceptions import ValidationException


@pytest.mark.parametrize("name", ["use_blink_planner", "use_old_planner", "use_any_planner"])
def test_choice_of_a_planner_is_refused_with_its_replacement(name: str) -> None:
    with pytest.raises(ValidationException, match=f"EnvironmentSettings.Builder.{name} does not exist here") as caught:
        getattr(EnvironmentSettings.new_instance(), name)()
    assert caught.value.hint is not None
    assert caught.value.hint[1:-1] == str(refusal_of(name))[1:]
    assert not hasattr(EnvironmentSettings.new_instance(), "use_some_planner")


def test_temporal_table_functions_are_refused_with_their_replacement() -> None:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        with pytest.raises(ValidationException, match="create_temporary_table_function does not exist here") as caught:
            env.create_temporary_table_function("f", None)  # type: ignore[attr-defined]
        assert "create_temporary_system_function" in (caught.value.hint or "")
        assert not hasattr(env, "create_temporary_tables")
        with pytest.raises(AttributeError, match="FOR SYSTEM_TIME AS OF"):
            env.from_elements([(1,)], ["a"]).create_temporal_table_function("a", "a")
