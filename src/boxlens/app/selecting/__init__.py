"""What an address asks for: terms, queries, rows, exports."""
