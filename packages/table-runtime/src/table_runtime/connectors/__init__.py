"""The built-in connectors, written against the public SPI like any other connector."""
