"""The things of the world, one file a group."""
