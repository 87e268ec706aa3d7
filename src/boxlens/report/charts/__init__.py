"""Figures of results, one a file."""
