"""The server: addresses, safety, pictures."""
