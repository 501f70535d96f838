"""Whether the tests notice one changed operator, number or name at a time: python -m benchmarks.mutation."""
