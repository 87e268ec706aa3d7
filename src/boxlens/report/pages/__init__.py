"""The page that opens offline, section by section."""
