"""What -o writes, and into which folder."""
