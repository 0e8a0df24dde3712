"""The rewrite rules, one file each; ``table_api.plan.programs`` defines which run, and in which order."""
