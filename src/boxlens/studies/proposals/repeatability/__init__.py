"""Whether a generator proposes the same boxes again when the picture changes a little."""
