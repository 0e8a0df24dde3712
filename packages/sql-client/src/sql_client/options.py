"""The client's own options: ``sql-client.…``, named as in Flink's client where it has them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from table_common.configuration import ConfigOption, ConfigOptions
from table_common.exceptions import closest

PREFIX = "sql-client."
DATA_MODES = ("csv", "json", "parquet")
"""The modes for other programs, which show nothing but data."""
RESULT_MODES = ("tableau", "table", "changelog", *DATA_MODES)

# Differs from Flink: 'sql-client.execution.result-mode' is tableau by default, and table fills the screen only at the prompt and for
# unbounded queries.
RESULT_MODE = (
    ConfigOptions.key("sql-client.execution.result-mode")
    .enum_type(*RESULT_MODES)
    .default_value("tableau")
    .with_description("The format of results. At the prompt, table shows an unbounded query on the whole screen, as its rows change.")
)
# Differs from Flink: 'sql-client.execution.max-table-result.rows' keeps the first rows, not the last ones, and also limits tableau results
# in batch mode.
MAX_ROWS = (
    ConfigOptions.key("sql-client.execution.max-table-result.rows")
    .int_type()
    .default_value(1_000_000)
    .with_description("The maximum number of rows of a result that is shown as a table; zero or less is no limit.")
)
PRINT_TIME_COST = (
    ConfigOptions.key("sql-client.display.print-time-cost")
    .boolean_type()
    .no_default_value()
    .with_description("Whether the number of rows is followed by the duration of the query; unset: only at a terminal.")
)
VERBOSE = (
    ConfigOptions.key("sql-client.verbose")
    .boolean_type()
    .default_value(False)
    .with_description("Whether errors are shown with a stack trace.")
)
OPTIONS: Mapping[str, ConfigOption[Any]] = {option.key: option for option in (RESULT_MODE, MAX_ROWS, PRINT_TIME_COST, VERBOSE)}
_OF_OTHERS = ("sql-client.display.max-column-width",)
"""Options with this prefix that table-api reads."""


def check_option(key: str, value: str) -> None:
    """Checks the value of a client option, and warns about an unknown one, since scripts for Flink's client may set others.

    Raises:
        ValidationException: the option does not accept the value.
    """
    option = OPTIONS.get(key)
    if option is not None:
        option.parse(value)
    elif key.startswith(PREFIX) and key not in _OF_OTHERS:
        known = (*OPTIONS, *_OF_OTHERS)
        similar = closest(key, known, limit=1)
        advice = f"did you mean '{similar[0]}'?" if similar else f"options of the client: {', '.join(sorted(known))}"
        print(f"[WARN] The option '{key}' is unknown to this client and has no effect; {advice}", file=sys.stderr)
