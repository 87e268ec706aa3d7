"""Means of samples of several laws, with their bootstrap replicates: what intervals are tried on."""

from __future__ import annotations

import numpy as np
import pytest

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
methods = pytest.mark.parametrize("method", ["bca", "percentile", "normal"])
SAMPLES = {
    "normal": lambda rng, n: rng.normal(0.2, 1.0, n),
    "skewed": lambda rng, n: rng.lognormal(0.0, 1.0, n) - 1.4,
    "skewed the other way": lambda rng, n: 1.8 - rng.lognormal(0.0, 1.0, n),
    "shares": lambda rng, n: rng.beta(0.4, 0.6, n) - 0.35,
}
samples = pytest.mark.parametrize("law", SAMPLES)


def leave_one_out(sample):
    return (sample.sum() - sample) / (len(sample) - 1)


def resampled_mean(law, seed, n=60, n_replicates=2000):
    """A sample's mean, its bootstrap replicates, and its values without each element."""
    rng = np.random.default_rng(seed)
    sample = SAMPLES[law](rng, n)
    drawn = sample[rng.integers(0, n, (n_replicates, n))].mean(axis=1)
    return float(sample.mean()), drawn, leave_one_out(sample)
