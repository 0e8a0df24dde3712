"""Runs the tool: ``python -m table_api.migrate FILE…``."""

from __future__ import annotations

import sys

from table_api.migrate.command import main

sys.exit(main(sys.argv[1:], sys.stdout, sys.stderr))
