"""Every verb that reads tables: what must be true of all of them is asked of this list."""

from __future__ import annotations

import boxlens
from laws.difficulty_worlds import windows_on
from studies.diagnosis.worlds import demo_dataset

FEW = {"replicates": 100}
EXTRAS = ["curves", "confidence", "confusion", "olrp", "images"]
METHODS = ["uniform", "gaussian", "sliding-window"]
# Each with the ground truth and two tables of detections.
VERBS = {
    "evaluate": lambda gt, a, b, **how: boxlens.evaluate(
        gt, [a, b], intervals=True, also=EXTRAS, **FEW, **how
    ),
    "diagnose": lambda gt, a, _, **how: boxlens.diagnose(
        gt, a, tidecv=True, cross=[("area", "occlusion")], intervals=True, **FEW, **how
    ),
    "sensitivity": lambda gt, a, _, **how: boxlens.sensitivity(gt, a, **how),
    "compare": lambda gt, a, b, **how: boxlens.compare(gt, [a, b], permutations=100, **FEW, **how),
    "difficulty": lambda gt, a, b, **how: boxlens.difficulty(
        gt, [a, b], windows=windows_on(demo_dataset(), 0), nodes="vehicle", **how
    ),
    "gate": lambda gt, a, b, **how: boxlens.gate(gt, a, b, **FEW, **how),
    "reconcile": lambda gt, a, _, **how: boxlens.reconcile(gt, a, end="voc07", **how),
    "disagree": lambda gt, a, b, **how: boxlens.disagree(gt, [a, b], min_score=0.3, **how),
    "proposals-recall": lambda gt, *_, **how: boxlens.proposal_recall(
        gt, windows_on(demo_dataset(), 0), budgets=[5, 10], **FEW, **how
    ),
    "proposals-correlate": lambda gt, a, b, **how: boxlens.correlate_recall(
        gt, METHODS, raw=[a, b], budget=100, **how
    ),
    "proposals-oracle": lambda gt, a, b, **how: boxlens.proposal_oracles(
        gt, [a, b], "uniform", budget=10, **how
    ),
}
