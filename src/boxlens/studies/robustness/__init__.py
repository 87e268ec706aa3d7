"""What breaks detectors: their scores on changed pictures, and what kind of error grows."""
