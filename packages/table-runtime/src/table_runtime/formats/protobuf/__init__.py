"""The format ``protobuf``."""
