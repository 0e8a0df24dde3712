"""The format ``csv``."""
