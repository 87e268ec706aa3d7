"""The folder of a run, checked and in memory."""
