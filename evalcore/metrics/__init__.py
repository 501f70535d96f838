"""One module a family; every metric is a plain function of a tally with its facts attached."""
