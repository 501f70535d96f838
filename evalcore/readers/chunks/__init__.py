"""Large Parquet inputs read a chunk at a time: each chunk as the whole would be, by the same readers."""
