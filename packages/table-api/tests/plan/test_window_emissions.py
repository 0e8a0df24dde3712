from __future__ import annotations

import pytest

from table_api.operations import SessionWindow, TumbleWindow, WindowAssigner, WindowEmission
from table_api.plan.window_emissions import check_window_function, emission_of
from table_common.configuration import Configuration
from table_common.exceptions import ValidationException

TUMBLE = TumbleWindow(1000)


def options(**given: str) -> Configuration:
    """Returns the options ``table.exec.emit``; dots are __ and hyphens _."""
    configuration = Configuration()
    for name, value in given.items():
        configuration.set_string(f"table.exec.emit.{name.replace('__', '.').replace('_', '-')}", value)
    return configuration


EARLY = {"early_fire__enabled": "true", "early_fire__delay": "5 s"}
LATE = {"late_fire__enabled": "true", "late_fire__delay": "0 s"}


@pytest.mark.parametrize(
    ("given", "found", "text"),
    [
        ({}, None, None),
        ({"early_fire__delay": "5 s", "late_fire__delay": "5 s"}, None, None),
        ({"allow_lateness": "1 min"}, None, None),
        (EARLY, WindowEmission(5000, None, 0), "early delay 5000 millisecond"),
        ({**EARLY, "allow_lateness": "1 min"}, WindowEmission(5000, None, 0), "early delay 5000 millisecond"),
        ({**LATE, "allow_lateness": "1 min"}, WindowEmission(None, 0, 60_000), "late no delay"),
        ({**EARLY, **LATE, "allow_lateness": "1 s"}, WindowEmission(5000, 0, 1000), "early delay 5000 millisecond, late no delay"),
    ],
)
def test_options_say_when_results_are_emitted(given: dict[str, str], found: WindowEmission | None, text: str | None) -> None:
    emission = emission_of(TUMBLE, options(**given), is_proctime=False)
    assert emission == found
    assert (str(emission) if emission is not None else None) == text


def test_no_row_is_late_in_processing_time() -> None:
    assert emission_of(TUMBLE, options(**LATE), is_proctime=True) is None
    assert emission_of(TUMBLE, options(**EARLY, **LATE), is_proctime=True) == WindowEmission(5000, None, 0)


@pytest.mark.parametrize(
    ("window", "given", "message"),
    [
        (
            TUMBLE,
            {"early_fire__enabled": "true"},
            r"'table\.exec\.emit\.early-fire\.enabled' needs the option 'table\.exec\.emit\.early-fire\.delay'",
        ),
        (TUMBLE, LATE, r"'table\.exec\.emit\.late-fire\.enabled' needs late rows, but all of them are dropped"),
        (SessionWindow(1000), EARLY, "A SESSION window of GROUP BY cannot emit results before or after its end"),
    ],
)
def test_contradictions_are_refused(window: WindowAssigner, given: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        emission_of(window, options(**given), is_proctime=False)


def test_windows_of_functions_in_from_refuse_both_options_but_not_a_delay_alone() -> None:
    check_window_function(options(early_fire__delay="5 s", allow_lateness="1 s"))
    for given in (EARLY, LATE):
        with pytest.raises(ValidationException, match="is for windows in GROUP BY"):
            check_window_function(options(**given))
