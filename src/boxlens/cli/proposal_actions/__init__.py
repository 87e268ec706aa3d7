"""What `boxlens proposals` can do, one action a file."""
