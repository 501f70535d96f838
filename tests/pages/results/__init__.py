"""The pages over results that were computed elsewhere."""
