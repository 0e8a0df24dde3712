from __future__ import annotations

from datetime import timedelta

import pytest

from table_common.configuration import (
    SESSION_OPTIONS,
    CheckpointingOptions,
    Configuration,
    RestartStrategyOptions,
    StateRecoveryOptions,
    why_without_effect,
)
from table_common.exceptions import ValidationException

OWNERS = (CheckpointingOptions, StateRecoveryOptions, RestartStrategyOptions)


@pytest.mark.parametrize(
    "key", [key for owner in OWNERS for option in vars(owner).values() if hasattr(option, "all_keys") for key in option.all_keys]
)
def test_each_key_and_its_older_names_have_an_effect(key: str) -> None:
    assert key in SESSION_OPTIONS
    assert why_without_effect(key) is None


def test_defaults_are_those_of_flink() -> None:
    configuration = Configuration({})
    assert configuration.get(CheckpointingOptions.CHECKPOINTING_TIMEOUT) == timedelta(minutes=10)
    assert configuration.get(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER) == 0
    assert configuration.get(RestartStrategyOptions.EXPONENTIAL_DELAY_BACKOFF_MULTIPLIER) == 1.5
    assert configuration.get(StateRecoveryOptions.RECOVERY_MODE) == "RESUME"


def test_a_mode_that_is_unknown_is_an_error() -> None:
    with pytest.raises(ValidationException, match="RESUME"):
        Configuration({"execution.state-recovery.mode": "AGAIN"}).get(StateRecoveryOptions.RECOVERY_MODE)
