"""Results of correlations, oracles and searches for settings, made up with a seed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from boxlens.data import Notice
from boxlens.metrics.results import Provenance
from boxlens.studies.proposals.detection_use.correlation import CORRELATION_IOUS, pearson
from boxlens.studies.proposals.detection_use.correlation_result import (
    MethodScore,
    ProposalCorrelationResult,
    RecallCorrelation,
)
from boxlens.studies.proposals.detection_use.oracle_result import (
    DetectorOracles,
    DetectorScores,
    OracleScore,
    ProposalOracleResult,
    ScoreMap,
    ScoresByIou,
)
from boxlens.studies.proposals.tuning.result import ProposalTuningResult, Trial
from report.proposal_results import METHODS, NASTY

PROVENANCE = Provenance("1.0", None, ())
DETECTORS = ("window", "region")
DATASET = {"name": "val", "n_images": 20, "n_objects": 60, "n_classes": 2}


def correlation_of(detector, class_name, recall, ap):
    """`recall`: a line per method, a column per overlap."""
    ar, partial = recall.mean(axis=1), recall[:, :9].mean(axis=1)
    return RecallCorrelation(
        detector,
        class_name,
        len(ap),
        CORRELATION_IOUS,
        np.array([pearson(column, ap) for column in recall.T]),
        pearson(ar, ap),
        pearson(partial, ap),
    )


def correlated(detectors=DETECTORS, methods=tuple(name for name, *_ in METHODS), n_classes=80):
    """Good methods find more at every overlap; what detectors make of it scatters."""
    rng = np.random.default_rng(5)
    skill = np.linspace(0.2, 0.8, len(methods))
    found = skill[:, None] * np.linspace(1, 0.1, len(CORRELATION_IOUS))
    recall = found + 0.05 * rng.random(found.shape)
    scores, correlations = [], []
    for detector in detectors:
        ap = 0.6 * skill + 0.1 * rng.random(len(methods))
        classes = {
            f"class {row}": 0.4 * skill + 0.4 * rng.random(len(methods)) for row in range(n_classes)
        }
        scores += [
            MethodScore(
                name,
                detector,
                987.5,
                float(recall[row].mean()),
                float(ap[row]),
                {one: float(values[row]) for one, values in classes.items()},
            )
            for row, name in enumerate(methods)
        ]
        correlations.append(correlation_of(detector, "", recall, ap))
        correlations += [
            correlation_of(detector, name, recall, values) for name, values in classes.items()
        ]
    return ProposalCorrelationResult(
        1000, tuple(scores), tuple(correlations), DATASET, {"metric": "AP50"}, PROVENANCE
    )


CORRELATION_WORLDS = {
    "two detectors": cache(correlated),
    "one detector without a name": cache(lambda: correlated(("",), n_classes=0)),
    "more detectors than colours": cache(
        lambda: correlated(tuple(f"net {row}" for row in range(10)), n_classes=1)
    ),
    "two methods": cache(lambda: correlated(methods=("uniform", "bing"))),
    "no methods": cache(
        lambda: ProposalCorrelationResult(1000, (), (), DATASET, {"metric": "AP"}, PROVENANCE)
    ),
    "nasty names": cache(lambda: correlated(NASTY, (*NASTY, "uniform"), n_classes=2)),
}


def score_of(oracle, ap50):
    return OracleScore(
        oracle, 0.6 * ap50, ap50, int(1000 * ap50) or 0, {"cat": ap50, "dog": np.nan}
    )


def shape_of(detector, seed, *, empty=False):
    rng = np.random.default_rng(seed)
    edges = np.round(0.2 + 0.05 * np.arange(17), 10)
    mean = np.where(np.arange(16) == 3, np.nan, np.linspace(0.1, 0.9, 16))
    cells = np.round(0.1 * (np.arange(22) - 10.5), 10)
    counts = rng.integers(0, 9, (21, 21)) * (not empty)
    scores = np.where(counts > 0, rng.random((21, 21)), np.nan)
    by_iou = ScoresByIou(
        edges,
        np.full(16, np.nan) if empty else mean,
        np.full(16, np.nan) if empty else 0.1 + 0 * mean,
        (0 if empty else 40,) * 16,
        0 if empty else 2,
    )
    maps = tuple(
        ScoreMap(kind, factor * cells, factor * cells, scores, counts.astype(float), 3)
        for kind, factor in (("shift", 1), ("scale", 2))
    )
    return DetectorScores(detector, by_iou, maps)


def oracles_of(detectors=DETECTORS, methods=("uniform", "edge-boxes", "bing"), *, empty=False):
    found = []
    for at, detector in enumerate(detectors):
        raw = np.nan if empty else 0.6 - 0.1 * at
        for row, method in enumerate(methods or ("",)):
            base = raw - 0.3 + 0.05 * row
            numbers = {"raw": raw, "nms": raw + 0.03}
            if method:
                numbers = {
                    "raw": raw,
                    "none": base,
                    "gt": base + 0.2,
                    "nms": base + 0.02,
                    "gt+nms": base + 0.21,
                }
            scores = tuple(
                replace(score_of(name, 0.0), ap=value, ap50=value)
                if np.isnan(value)
                else score_of(name, value)
                for name, value in numbers.items()
            )
            found.append(DetectorOracles(detector, method, 1000 if method else None, scores))
    shapes = tuple(shape_of(name, at, empty=empty) for at, name in enumerate(detectors))
    notice = Notice("too_few_overlaps", 1, "a class was left out")
    return ProposalOracleResult(
        tuple(found), shapes, DATASET, {"oracle_iou": 0.5}, PROVENANCE, (notice,)
    )


ORACLE_WORLDS = {
    "two detectors": cache(oracles_of),
    "no proposals": cache(lambda: oracles_of(methods=())),
    "many methods": cache(lambda: oracles_of(("net",), tuple(f"method {at}" for at in range(14)))),
    "no objects": cache(lambda: oracles_of(empty=True)),
    "nasty names": cache(lambda: oracles_of(NASTY, NASTY)),
}


def tuned(n_trials=12, *, held_out=True, better=True):
    rng = np.random.default_rng(2)
    trials = []
    for number in range(n_trials):
        settings = {
            "beta": 0.75 if number == 0 else float(rng.uniform(0.5, 0.95)),
            "min_box_area": 1000.0 if number == 0 else float(rng.uniform(50, 2000)),
            "kappa": 1.5,
        }
        ar = 0.3 + (0.01 if better else -0.01) * min(number, 7)
        trials.append(Trial(number, settings, ar, 2 * ar, 991.5, 0.25))
    before, after = (0.28, 0.31) if held_out else (np.nan, np.nan)
    best = max(range(n_trials), key=lambda row: trials[row].ar)
    return ProposalTuningResult(
        "edge-boxes",
        1000,
        tuple(trials),
        best,
        before,
        after,
        70,
        30 if held_out else 0,
        {"seed": 0, "ranges": {"beta": [0.5, 0.95]}},
        PROVENANCE,
    )


def no_recall():
    """There was nothing to find on the pictures."""
    known = tuned(3, held_out=False)
    trials = tuple(replace(one, ar=np.nan, recall_50=np.nan) for one in known.trials)
    return replace(known, trials=trials, best=0)


TUNING_WORLDS = {
    "better": cache(tuned),
    "the first is best": cache(lambda: tuned(better=False, held_out=False)),
    "one trial": cache(lambda: tuned(1)),
    "nothing to find": cache(no_recall),
}
