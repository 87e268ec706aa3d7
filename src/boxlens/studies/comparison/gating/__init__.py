"""Rules that a candidate must hold against a baseline."""
