"""The entry point of the client."""

from sql_client.command_line import main

__all__ = ["main"]
