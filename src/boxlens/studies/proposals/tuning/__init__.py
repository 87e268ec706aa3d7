"""Settings of a generator that find the most objects."""
