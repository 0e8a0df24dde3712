"""``python -m sql_client`` is ``sql-client``."""

import sys

from sql_client.cli import main

sys.exit(main())
