"""The rewrites, one file each; ``table_api.plan.programs`` says which run, and in which order."""
