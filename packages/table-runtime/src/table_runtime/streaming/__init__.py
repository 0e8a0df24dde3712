"""Streaming: changelogs, keyed state, and the operators that keep it. Imported by streaming plans alone."""
