"""Torch modules as classifiers: fine-tuned here, kept in checkpoints, saved without pickles."""
