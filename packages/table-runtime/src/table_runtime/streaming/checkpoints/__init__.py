"""Checkpoints of streaming jobs: folders, manifests, locks and files of state. ``docs/reference/checkpoints.md`` describes the format."""
