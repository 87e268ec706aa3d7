"""Which figures a result has, and which questions a report asks."""
