"""Results as Polars frames, ready for Parquet."""
