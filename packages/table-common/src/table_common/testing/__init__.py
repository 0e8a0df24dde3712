"""What tests of connectors, formats and engines use: strategies and compliance suites."""
