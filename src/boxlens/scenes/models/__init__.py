"""The models of the scenes, one file per group."""
