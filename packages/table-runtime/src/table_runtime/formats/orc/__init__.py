"""The format ``orc``."""
