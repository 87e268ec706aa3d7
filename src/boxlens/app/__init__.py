"""The local web app over the tables of a run."""
