"""Types, expressions, functions and the connector, catalog and module SPI of the table ecosystem."""
