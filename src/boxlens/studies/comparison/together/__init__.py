"""What detectors reach together, and where each is better."""
