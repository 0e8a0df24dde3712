"""What several benchmarks, and the tests of TPC, share."""
