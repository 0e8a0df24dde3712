"""The command ``sql-client`` of ``table-engines``, for installers that only install the commands of the distribution that they are given."""

from __future__ import annotations

import sys


def client() -> int:
    """Runs the SQL client and returns its exit code, or says how to install it."""
    try:
        from sql_client.cli import main
    except ModuleNotFoundError as error:
        if error.name not in ("sql_client", "sql_client.cli"):
            raise
        sys.stderr.write("The SQL client is not installed.\nHint: pip install 'table-engines[client]'\n")
        return 2
    return main()
