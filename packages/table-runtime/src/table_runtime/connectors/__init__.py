"""Connectors that come with the runtime, written as any other connector is; and how every engine publishes the files it wrote."""

from table_runtime.connectors.file_commit import discard_staging, publish_staged_files, staging_path

__all__ = ["discard_staging", "publish_staged_files", "staging_path"]
