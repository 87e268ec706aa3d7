"""Detectors compared image by image."""
