"""How good a detector could be that finds every object: its classifier on the true boxes."""
