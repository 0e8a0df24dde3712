"""The memory of a run: its budget, the shares of its operators, and a watch."""
