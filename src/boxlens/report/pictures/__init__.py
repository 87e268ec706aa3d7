"""Crops of errors and of unexpected objects."""
