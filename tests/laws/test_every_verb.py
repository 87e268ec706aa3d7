"""What is true of every verb that reads tables: threads change no byte, and inputs stay."""

from __future__ import annotations

import json
import pickle

import pytest

import boxlens
from studies.diagnosis.worlds import demo_dataset, demo_detections

FEW = {"replicates": 100}
EXTRAS = ["curves", "confidence", "confusion", "olrp", "images"]
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
    "difficulty": lambda gt, a, b, **how: boxlens.difficulty(gt, [a, b], **how),
    "gate": lambda gt, a, b, **how: boxlens.gate(gt, a, b, **FEW, **how),
    "reconcile": lambda gt, a, _, **how: boxlens.reconcile(gt, a, end="voc07", **how),
    "disagree": lambda gt, a, b, **how: boxlens.disagree(gt, [a, b], min_score=0.3, **how),
}


@pytest.mark.parametrize("verb", VERBS)
def test_threads_change_no_byte_and_inputs_stay(verb):
    tables = (demo_dataset(), demo_detections(), demo_detections("region"))
    before = pickle.dumps(tables)
    one, several = (
        json.dumps(VERBS[verb](*tables, threads=threads).to_json(), allow_nan=False)
        for threads in (1, 3)
    )
    assert one == several
    assert pickle.dumps(tables) == before
