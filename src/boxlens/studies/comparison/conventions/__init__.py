"""Why protocols give different numbers for the same files."""
