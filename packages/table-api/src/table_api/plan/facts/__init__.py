"""What is known of each kind of node: one file per node, found by the file of its class (``record.facts_of``)."""
