"""Formats of changelogs: messages in JSON that say what happened to a row."""
