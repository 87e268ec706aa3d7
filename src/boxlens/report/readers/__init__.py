"""Each reads any study: terminal, page, notebook, table files."""
