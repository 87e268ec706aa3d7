"""Failures as they are told: one a picture and reason, however many sets it fails in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from boxlens.detectors.run_result import Failure


def told_failures(failed: Iterable[Failure], slugs: Collection[str]) -> tuple[Failure, ...]:
    """`slugs` are the folders of sets, which files of a set begin with."""
    counts: Counter[Failure] = Counter()
    for one in failed:
        folder, _, name = one.file.partition("/")
        counts[Failure(name, one.reason) if name and folder in slugs else one] += 1
    return tuple(
        Failure(one.file, f"{one.reason} (in {n:,} sets)") if n > 1 else one
        for one, n in counts.items()
    )
