"""``TableEnvironment`` and its methods, by what they are about."""
