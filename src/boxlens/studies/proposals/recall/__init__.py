"""How many objects proposals find: recall, average recall and what depends on it (METHODS 6)."""
